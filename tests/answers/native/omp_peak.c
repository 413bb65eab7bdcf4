// How many of many values exceed a limit: each one is counted by omp atomic, or each block of them.
// usage: omp_peak each|block
#include <stdio.h>
#include <string.h>

static unsigned value(unsigned i) {
    for (int k = 0; k < 12; k++) {
        i ^= i >> 15;
        i *= 2246822519u;
    }
    return i;
}

int main(int argc, char **argv) {
    int n = 40000000, block = argc > 1 && !strcmp(argv[1], "block") ? 50000 : 1;
    long seen = 0;
#pragma omp parallel for schedule(dynamic, 50000 / block)
    for (int first = 0; first < n; first += block) {
        long high = 0;
        for (int i = first; i < first + block; i++)
            high += value(i) > 4000000000u;
#pragma omp atomic
        seen += high;  //@ here
    }
    printf("%ld\n", seen);
    return 0;
}
