/* usage: drift bad|good [PARTICLES]
 * Particle tracking through a lattice of elements; the coordinates of the
 * beam lie in one array each.  Every element is pushed over the whole beam, or a
 * tile of the beam goes through all elements while it is in cache. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    int good = argc > 1 && !strcmp(argv[1], "good");
    long n = argc > 2 ? atol(argv[2]) : 8000000;
    double *x = arr(n), *y = arr(n), *t = arr(n);
    double *px = arr(n), *py = arr(n), *pt = arr(n);

    if (good) {
        #pragma omp parallel for schedule(static)
        for (long b = 0; b < n; b += TILE) {
            long hi = b + TILE < n ? b + TILE : n;
            for (int e = 0; e < 75; e++) {
                double len = 0.1 + 0.01 * e, g = len / 1.7;
                for (long i = b; i < hi; i++) {
                    x[i] += len * px[i];
                    y[i] += len * py[i];
                    t[i] += g * pt[i];
                }
            }
        }
    } else {
        for (int e = 0; e < 22; e++) {
            double len = 0.1 + 0.01 * e, g = len / 1.7;
            #pragma omp parallel for schedule(static)  //@ here
            for (long i = 0; i < n; i++) {
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
