/* A tree of tasks: 2 for a leaf, nothing for the rest. fib(5) has 8 leaves.
 *
 * work 8 8 8
 * span 1 1 1
 */
#include "spin.h"

static int fib(int n) {
    if (n < 2) {
        spin(1);
        return n;
    }
    int a, b;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void) {
    int result = 0;
#pragma omp parallel
#pragma omp single
    result = fib(5);
    return result != 5;
}
