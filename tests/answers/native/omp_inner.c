// Gauss elimination: the parallel loop stands inside the loop over pivots and columns, so it is begun 260,000 times.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int n = 720;
    double *a = malloc((size_t)n * n * sizeof *a);
    for (int i = 0; i < n * n; i++)
        a[i] = (i % (n + 1) == 0 ? n : 0) + (double)((i * 7919L) % 1009) / 1009;
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
#pragma omp parallel for //@ here
            for (int j = k; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
    printf("%f\n", a[n * n - 1]);
    return 0;
}
