/* usage: sections ok [ITEMS]
 * Sixteen independent statistics of equal cost, one section each. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
static double stat(int k, long n)
{
    double s = 0, x = 0.3 + 0.01 * k;
    for (long i = 0; i < n; i++) {
        x = 3.7 * x * (1 - x);
        s += sqrt(x + k);
    }
    return s / n;
}
int main(int argc, char **argv)
{
    long n = argc > 2 ? atol(argv[2]) : 16000000;
    double r[16];
    #pragma omp parallel sections
    {
        #pragma omp section
        r[0] = stat(0, n);
        #pragma omp section
        r[1] = stat(1, n);
        #pragma omp section
        r[2] = stat(2, n);
        #pragma omp section
        r[3] = stat(3, n);
        #pragma omp section
        r[4] = stat(4, n);
        #pragma omp section
        r[5] = stat(5, n);
        #pragma omp section
        r[6] = stat(6, n);
        #pragma omp section
        r[7] = stat(7, n);
        #pragma omp section
        r[8] = stat(8, n);
        #pragma omp section
        r[9] = stat(9, n);
        #pragma omp section
        r[10] = stat(10, n);
        #pragma omp section
        r[11] = stat(11, n);
        #pragma omp section
        r[12] = stat(12, n);
        #pragma omp section
        r[13] = stat(13, n);
        #pragma omp section
        r[14] = stat(14, n);
        #pragma omp section
        r[15] = stat(15, n);
    }
    double s = 0;
    for (int k = 0; k < 16; k++)
        s += r[k];
    printf("%.9f\n", s);
    return 0;
}
