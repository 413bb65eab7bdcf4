// Sixteen tasks, of which the i-th runs a strand of i times N.
#include "strands.h"
#include <stdlib.h>

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 1000;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 1; i <= 16; i++) {
#pragma omp task firstprivate(i)
            strand(i * n);
        }
    }
    return 0;
}
