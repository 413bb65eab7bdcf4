// oneTBB's collaborative_call_once.h, over the classes that tell.
#ifndef WORKSPAN_OVERLAY_COLLABORATIVE_CALL_ONCE
#define WORKSPAN_OVERLAY_COLLABORATIVE_CALL_ONCE
#pragma GCC system_header
#ifndef WORKSPAN_DISABLED
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#endif
#include_next <oneapi/tbb/collaborative_call_once.h>
#endif
