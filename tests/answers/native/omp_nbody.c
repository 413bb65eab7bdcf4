// Healthy: forces of all bodies on all bodies, some steps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int n = 6000;
    double *x = malloc(n * sizeof *x), *f = malloc(n * sizeof *f);
    for (int i = 0; i < n; i++)
        x[i] = (double)((i * 7919) % 10007);
    for (int step = 0; step < 12; step++) {
#pragma omp parallel for
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++) {
                double d = x[j] - x[i];
                sum += d / sqrt(d * d + 1.0);
            }
            f[i] = sum;
        }
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            x[i] += f[i] * 1e-6;
    }
    printf("%f\n", x[17]);
    return 0;
}
