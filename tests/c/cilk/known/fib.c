/* Every call works for 1 ms: fib(8) has 67 calls, 8 of them in a row. */
#include <cilk/cilk.h>

#include "../spin.h"

static int fib(int n) {
    spin(1);
    if (n < 2)
        return n;
    int x = cilk_spawn fib(n - 1);
    int y = fib(n - 2);
    cilk_sync;
    return x + y;
}

int main(void) { return fib(8) == 21 ? 0 : 1; }
