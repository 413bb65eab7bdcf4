/* Times a piece of code. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int by_time(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

/* Prints the name, the median time of eleven runs in nanoseconds, and how many parts each has. */
static void repeat(const char *name, void (*run)(void), long parts) {
    double times[11];
    for (int i = 0; i < 11; i++) {
        double start = now();
        run();
        times[i] = now() - start;
    }
    qsort(times, 11, sizeof *times, by_time);
    printf("%s %.0f %ld\n", name, times[5], parts);
}
