// The name of old; found through the search path, so that ours comes first.
#pragma GCC system_header
#include <oneapi/tbb/task_group.h>
