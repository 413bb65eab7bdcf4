/* Sums many series in parallel, then makes their running total, each step of which needs the last.
 *
 *     sums [SERIES]     1000 by default */
#include <stdio.h>
#include <stdlib.h>

enum { TERMS = 20000 };

/* 1/n + 1/(n + 1) + ... */
static double sum_of(long n) {
    double sum = 0;
    long k;
    for (k = n; k < n + TERMS; k++) {
        sum += 1.0 / (double)k;
    }
    return sum;
}

/* Adds one sum to the running total: slowly, so that it shows. */
static double go_on(double total, double sum) {
    int k;
    for (k = 0; k < TERMS / 4; k++) {
        total = 0.5 * (total + sum / total) + sum;
    }
    return total;
}

int main(int count, char **words) {
    const long series = count > 1 ? atol(words[1]) : 1000;
    double *sums;
    double total = 1;
    long i;
    if (series < 1 || (sums = malloc((size_t)series * sizeof *sums)) == NULL) {
        fprintf(stderr, "usage: sums [SERIES]\n");
        return 2;
    }
#pragma omp parallel for schedule(dynamic)
    for (i = 0; i < series; i++) {
        sums[i] = sum_of(i + 1);
    }
    for (i = 0; i < series; i++) {
        total = go_on(total, sums[i]);
    }
    printf("%ld series: %.6f\n", series, total);
    free(sums);
    return 0;
}
