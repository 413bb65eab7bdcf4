// oneTBB's partitioner.h, over the classes that tell.
#ifndef WORKSPAN_OVERLAY_PARTITIONER
#define WORKSPAN_OVERLAY_PARTITIONER
#pragma GCC system_header
#ifndef WORKSPAN_DISABLED
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#endif
#include_next <oneapi/tbb/partitioner.h>
#endif
