/* usage: sweeps ok [SWEEPS]
 * Many sweeps, one parallel region each, every sweep some milliseconds of
 * arithmetic on data that fit the cache. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
int main(int argc, char **argv)
{
    enum { N = 32768 };
    int sweeps = argc > 2 ? atoi(argv[2]) : 60;
    static double a[N], b[N];
    for (int i = 0; i < N; i++)
        a[i] = i % 97;
    for (int s = 0; s < sweeps; s++) {
        #pragma omp parallel for
        for (int i = 0; i < N; i++) {
            double v = a[i] + a[(i + 1) % N] + a[(i + N - 1) % N];
            for (int k = 0; k < 12; k++)
                v = sin(v) + 1.1;
            b[i] = v;
        }
        #pragma omp parallel for
        for (int i = 0; i < N; i++) {
            double v = b[i] + b[(i + 7) % N];
            for (int k = 0; k < 12; k++)
                v = cos(v) + 0.9;
            a[i] = v;
        }
    }
    double t = 0;
    for (int i = 0; i < N; i++)
        t += a[i];
    printf("%.9f\n", t);
    return 0;
}
