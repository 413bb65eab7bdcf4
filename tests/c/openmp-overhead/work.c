/* What tasks take that do next to nothing, in processor time: a million empty ones, then fib without a cutoff. */
#include <stdio.h>
#include <string.h>
#include <time.h>

static volatile long sink;

static long fib(int n) {
    if (n < 2)
        return n;
    long a, b;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void run(const char *name) {
    if (strcmp(name, "fib") == 0) {
#pragma omp parallel
#pragma omp single
        sink = fib(26);
        return;
    }
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 1000000; i++) {
#pragma omp task
        {
        }
    }
}

static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "empty";
    // fib(26) makes two tasks in each of its 196,417 inner calls.
    long tasks = strcmp(name, "fib") == 0 ? 392834 : 1000000;
    double start = processor_time();
    run(name);
    printf("%.0f %ld\n", processor_time() - start, tasks);
    return 0;
}
