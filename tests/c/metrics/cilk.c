// A spawned strand of 3N beside one of N, and one of 2N after both.
#include "strands.h"
#include <cilk/cilk.h>
#include <stdlib.h>

static void spawned(long n) { strand(3 * n); }

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 1000;
    cilk_spawn spawned(n);
    strand(n);
    cilk_sync;
    strand(2 * n);
    return 0;
}
