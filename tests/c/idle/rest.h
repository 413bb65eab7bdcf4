/* Tasks that take so long on whatever processors there are. */
#ifndef REST_H
#define REST_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <omp.h>
#include <time.h>

#define UNIT_NANOSECONDS 30000000L

/* Sleeps for so many units of 30 ms: a thread that does so has a task, and so it works. */
static void rest(long units) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += units * UNIT_NANOSECONDS;
    end.tv_sec += end.tv_nsec / 1000000000L;
    end.tv_nsec %= 1000000000L;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) != 0) {
    }
}

#endif
