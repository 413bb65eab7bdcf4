/* For programs whose work and span are known, as tests/c/tbb/known.hpp. */
#ifndef KNOWN_H
#define KNOWN_H

#include <stdio.h>
#include <time.h>

static double milliseconds_run(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void spin(double milliseconds) {
    double end = milliseconds_run() + milliseconds;
    while (milliseconds_run() < end) {
    }
}

static void goal(double work, double span) { printf("goal %g %g %g %g\n", work, work, span, span); }

#endif
