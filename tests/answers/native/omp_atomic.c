// A sum over all items, each added by omp atomic.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int n = 60000000;
    unsigned *data = malloc(n * sizeof *data);
    long inside = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        data[i] = (unsigned)i * 2654435761u;
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
