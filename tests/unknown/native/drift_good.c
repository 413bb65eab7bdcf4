/* Particle tracking through a lattice of elements; the coordinates of the
 * beam lie in one array each.  A tile of the beam goes through all elements while it is in cache. */
#include <stdio.h>
#include <stdlib.h>

#define NELEM 75
#define TILE 512

static double *arr(long n)
{
    double *p = malloc(sizeof(double) * n);
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        p[i] = 1e-3 * ((i * 7919) % 1009) - 0.5;
    return p;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 8000000;
    double *x = arr(n), *y = arr(n), *t = arr(n);
    double *px = arr(n), *py = arr(n), *pt = arr(n);

    #pragma omp parallel for schedule(static)
    for (long b = 0; b < n; b += TILE) {
        long hi = b + TILE < n ? b + TILE : n;
        for (int e = 0; e < NELEM; e++) {
            double len = 0.1 + 0.01 * e, g = len / 1.7;
            for (long i = b; i < hi; i++) {
                x[i] += len * px[i];
                y[i] += len * py[i];
                t[i] += g * pt[i];
            }
        }
    }
    double s = 0;
    #pragma omp parallel for reduction(+:s)
    for (long i = 0; i < n; i++)
        s += x[i] + y[i] + t[i];
    printf("sum %.9e\n", s);
    return 0;
}
