/* Product of square matrices: the two halves of the largest extent, in parallel unless that is the sum's. */
#include <cilk/cilk.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAF = 16 };

/* C += A B, with A of m by n and B of n by p elements, all in rows of `width`. */
static void multiply(const double *a, const double *b, double *c, int m, int n, int p, int width) {
    if (m + n + p <= 3 * LEAF) {
        for (int i = 0; i < m; ++i)
            for (int k = 0; k < n; ++k)
                for (int j = 0; j < p; ++j)
                    c[i * width + j] += a[i * width + k] * b[k * width + j];
    } else if (m >= n && m >= p) {
        int half = m / 2;
        cilk_spawn multiply(a, b, c, half, n, p, width);
        multiply(a + half * width, b, c + half * width, m - half, n, p, width);
    } else if (n >= p) {
        int half = n / 2;
        multiply(a, b, c, m, half, p, width);
        multiply(a + half, b + half * width, c, m, n - half, p, width);
    } else {
        int half = p / 2;
        cilk_spawn multiply(a, b, c, m, n, half, width);
        multiply(a, b + half, c + half, m, n, p - half, width);
    }
}

/* The product of a matrix and a vector. */
static void apply(const double *matrix, const double *vector, double *product, int n) {
    for (int i = 0; i < n; ++i) {
        product[i] = 0;
        for (int j = 0; j < n; ++j)
            product[i] += matrix[i * n + j] * vector[j];
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 128;
    size_t elements = (size_t)n * (size_t)n;
    double *a = calloc(elements, sizeof *a), *b = calloc(elements, sizeof *b), *c = calloc(elements, sizeof *c);
    double worst = 0;
    cilk_for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            a[i * n + j] = (i * 7 + j * 3) % 11 - 5;
            b[i * n + j] = (i * 5 + j * 2) % 13 - 6;
        }
    multiply(a, b, c, n, n, n, n);
    /* A (B x) = C x for an x of small numbers: all of it is exact. */
    double *x = calloc(3 * (size_t)n, sizeof *x), *bx = x + n, *abx = bx + n;
    for (int i = 0; i < n; ++i)
        x[i] = i % 7 - 3;
    apply(b, x, bx, n);
    apply(a, bx, abx, n);
    apply(c, x, bx, n);
    for (int i = 0; i < n; ++i)
        worst = fmax(worst, fabs(abx[i] - bx[i]));
    free(x);
    printf("matmul of %d: greatest error %g\n", n, worst);
    free(a);
    free(b);
    free(c);
    return worst == 0 ? 0 : 1;
}
