// A sum over all items, each added by omp atomic, or by a reduction.
// usage: omp_atomic each|reduction
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    int n = 60000000;
    unsigned *data = malloc(n * sizeof *data);
    long inside = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        data[i] = (unsigned)i * 2654435761u;
    if (argc > 1 && !strcmp(argv[1], "reduction")) {
        for (int pass = 0; pass < 10; pass++)
#pragma omp parallel for reduction(+ : inside)
            for (int i = 0; i < n; i++) {
                unsigned v = data[i];
                v ^= v >> 15;
                v *= 2246822519u;
                inside += (v >> 24) < 200;
            }
        printf("%ld\n", inside / 10);
        return 0;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        unsigned v = data[i];
        v ^= v >> 15;
        v *= 2246822519u;
        if ((v >> 24) < 200) {
#pragma omp atomic
            inside++; //@ here
        }
    }
    printf("%ld\n", inside);
    return 0;
}
