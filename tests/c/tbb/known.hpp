// For programs whose work and span are known: work is time of the thread's processor, so no other load lengthens it.
#pragma once
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

inline double milliseconds_run() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

inline void spin(double milliseconds) {
    const double end = milliseconds_run() + milliseconds;
    while (milliseconds_run() < end) {
    }
}

// What the profile is to show, in milliseconds, for the script to read.
inline void goal(double work_from, double work_to, double span_from, double span_to) {
    std::printf("goal %g %g %g %g\n", work_from, work_to, span_from, span_to);
}
inline void goal(double work, double span) { goal(work, work, span, span); }

#define CHECK(what)                                                          \
    do {                                                                     \
        if (!(what)) {                                                       \
            std::printf("%s:%d: wrong: %s\n", __FILE__, __LINE__, #what);    \
            std::exit(1);                                                    \
        }                                                                    \
    } while (0)

struct test {
    const char *name;
    void (*run)();
};

inline int threads = 1;

// program THREADS CASE; without a case, it lists them.
template <int N>
int run_one(const test (&all)[N], int count, char **arguments) {
    if (count < 3) {
        for (const test &one : all) {
            std::puts(one.name);
        }
        return 0;
    }
    threads = std::atoi(arguments[1]);
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    // With the first construct the engine learns its clock's rate: strands before it are not told from waits for a core.
    tbb::parallel_for(0, 1, [](int) {});
    for (const test &one : all) {
        if (std::strcmp(one.name, arguments[2]) == 0) {
            one.run();
            return 0;
        }
    }
    return 2;
}
