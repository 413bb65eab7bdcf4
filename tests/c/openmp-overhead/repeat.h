/* Times a piece of code. */
#include <stdio.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Prints the name, the least time of eleven runs in nanoseconds, and how many parts each has. */
static void repeat(const char *name, void (*run)(void), long parts) {
    double least = 1e300;
    for (int i = 0; i < 11; i++) {
        double start = now();
        run();
        double time = now() - start;
        least = time < least ? time : least;
    }
    printf("%s %.0f %ld\n", name, least, parts);
}
