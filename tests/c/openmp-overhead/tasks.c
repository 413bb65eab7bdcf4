/* Programs that are little else than tasks: fib without a cutoff, empty tasks, and tasks of about one microsecond. */
#include "repeat.h"

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

static void run_fib(void) {
#pragma omp parallel
#pragma omp single
    sink = fib(20);
}

static void run_empty(void) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 20000; i++) {
#pragma omp task
        {
        }
    }
}

static void work(void) {
    long sum = 0;
    for (int i = 0; i < 500; i++) {
        sum += i;
        __asm__ volatile("" : "+r"(sum));
    }
}

static void run_microsecond(void) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 20000; i++) {
#pragma omp task
        work();
    }
}

int main(void) {
    // fib(20) makes two tasks in each of its 10,945 inner calls.
    repeat("fib", run_fib, 21890);
    repeat("empty", run_empty, 20000);
    repeat("microsecond", run_microsecond, 20000);
    return 0;
}
