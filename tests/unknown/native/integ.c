/* usage: integ ok [STEPS]
 * Numerical integration, static schedule with a reduction. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
int main(int argc, char **argv)
{
    long n = argc > 2 ? atol(argv[2]) : 40000000;
    double h = 8.0 / n, s = 0;
    #pragma omp parallel for schedule(static) reduction(+:s)
    for (long i = 0; i < n; i++) {
        double x = (i + 0.5) * h;
        s += exp(-x * x) * cos(3 * x);
    }
    printf("%.12f\n", s * h);
    return 0;
}
