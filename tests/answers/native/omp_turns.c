// After https://stackoverflow.com/questions/13224155 (ordered with the default static schedule runs one thread after another).
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N 1500

static uint64_t frame(uint64_t x) {
    for (int k = 0; k < 500000; k++)
        x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9ULL + 1;
    return x;
}

int main(int argc, char **argv) {
    uint64_t out = 0;
    if (argc > 1 && !strcmp(argv[1], "fixed")) {
#pragma omp parallel for ordered schedule(static, 1)
        for (int i = 0; i < N; i++) {
            uint64_t f = frame(i);
#pragma omp ordered //@ here
            out = out * 31 + f;
        }
    } else {
#pragma omp parallel for ordered schedule(static)
        for (int i = 0; i < N; i++) {
            uint64_t f = frame(i);
#pragma omp ordered //@ here
            out = out * 31 + f;
        }
    }
    printf("%llx\n", (unsigned long long)out);
    return 0;
}
