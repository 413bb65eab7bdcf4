/* Fibonacci numbers, a task for one of the two calls. */
#include <cilk/cilk.h>
#include <stdio.h>
#include <stdlib.h>

static long fib(int n) {
    long x, y;
    if (n < 2)
        return n;
    x = cilk_spawn fib(n - 1);
    y = fib(n - 2);
    cilk_sync;
    return x + y;
}

/* Counted without recursion. */
static long expected(int n) {
    long before = 1, now = 0;
    for (int i = 0; i < n; ++i) {
        long next = before + now;
        before = now;
        now = next;
    }
    return now;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 20;
    long result = fib(n);
    printf("fib(%d) = %ld\n", n, result);
    return result == expected(n) ? 0 : 1;
}
