// All of oneTBB, by headers found through the search path, so that ours come first.
#pragma GCC system_header
#include <oneapi/tbb.h>
