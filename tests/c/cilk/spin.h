/* Work of a known length. */
#ifndef SPIN_H
#define SPIN_H

#include <time.h>

static double spin_now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* Works for so many milliseconds of the thread's processor time. */
static inline void spin(double milliseconds) {
    double end = spin_now(CLOCK_THREAD_CPUTIME_ID) + milliseconds;
    while (spin_now(CLOCK_THREAD_CPUTIME_ID) < end) {
    }
}

#endif
