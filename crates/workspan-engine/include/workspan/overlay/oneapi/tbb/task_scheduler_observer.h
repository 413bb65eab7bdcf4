// oneTBB's task_scheduler_observer.h, over the classes that tell.
#ifndef WORKSPAN_OVERLAY_TASK_SCHEDULER_OBSERVER
#define WORKSPAN_OVERLAY_TASK_SCHEDULER_OBSERVER
#pragma GCC system_header
#ifndef WORKSPAN_DISABLED
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#endif
#include_next <oneapi/tbb/task_scheduler_observer.h>
#endif
