/* Work of known length. */
#ifndef SPIN_H
#define SPIN_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <time.h>

#define UNIT_NANOSECONDS 5000000.0

static double processor_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Keeps the calling thread's processor busy for so many units of 5 ms. */
__attribute__((noinline)) static void spin(double units) {
    double end = processor_time() + units * UNIT_NANOSECONDS;
    while (processor_time() < end) {
    }
}

#endif
