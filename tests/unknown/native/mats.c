/* usage: mats bad|good [REPEATS]
 * Products of many square matrices whose sizes differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NMAT 512

static double *A[NMAT], *B[NMAT], *C[NMAT];

static int size_of(int j) { return 8 + j / 4; }

static double *random_matrix(int n, unsigned s)
{
    double *m = malloc(sizeof(double) * n * n);
    for (int i = 0; i < n * n; i++) {
        s = s * 1664525u + 1013904223u;
        m[i] = (s >> 8) * (1.0 / 16777216);
    }
    return m;
}

static void multiply(int n, const double *restrict a, const double *restrict b,
                     double *restrict c)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            c[i * n + j] = 0;
        for (int k = 0; k < n; k++) {
            double x = a[i * n + k];
            for (int j = 0; j < n; j++)
                c[i * n + j] += x * b[k * n + j];
        }
    }
}

static double trace_of_product(int j)
{
    int n = size_of(j);
    double trace = 0;
    multiply(n, A[j], B[j], C[j]);
    for (int i = 0; i < n; i++)
        trace += C[j][i * n + i];
    return trace;
}

int main(int argc, char **argv)
{
    int good = argc > 1 && !strcmp(argv[1], "good");
    int repeat = argc > 2 ? atoi(argv[2]) : 4;
    double trace = 0;

    #pragma omp parallel for
    for (int j = 0; j < NMAT; j++) {
        A[j] = random_matrix(size_of(j), j + 1);
        B[j] = random_matrix(size_of(j), j + 77);
        C[j] = malloc(sizeof(double) * size_of(j) * size_of(j));
    }
    for (int r = 0; r < repeat; r++) {
        if (good) {
            #pragma omp parallel for schedule(dynamic, 1) reduction(+:trace)
            for (int j = NMAT - 1; j >= 0; j--)
                trace += trace_of_product(j);
        } else {
            #pragma omp parallel for reduction(+:trace)  //@ here
            for (int j = 0; j < NMAT; j++)
                trace += trace_of_product(j);
        }
    }
    printf("trace %.6e\n", trace);
    return 0;
}
