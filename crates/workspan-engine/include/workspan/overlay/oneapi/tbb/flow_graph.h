// oneTBB's flow_graph.h, over the classes that tell.
#ifndef WORKSPAN_OVERLAY_FLOW_GRAPH
#define WORKSPAN_OVERLAY_FLOW_GRAPH
#pragma GCC system_header
#ifndef WORKSPAN_DISABLED
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#endif
#include_next <oneapi/tbb/flow_graph.h>
#endif
