/* Programs of loops: a stencil (a region for each sweep), a dot product, and rows handed out one by one. */
#include "repeat.h"

enum { SIDE = 512 };
static double a[SIDE][SIDE], b[SIDE][SIDE];
static volatile double sink;

static void sweep(double from[SIDE][SIDE], double to[SIDE][SIDE]) {
#pragma omp parallel for schedule(static)
    for (int i = 1; i < SIDE - 1; i++)
        for (int j = 1; j < SIDE - 1; j++)
            to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

static void run_stencil(void) {
    for (int i = 0; i < 20; i++) {
        sweep(a, b);
        sweep(b, a);
    }
}

static void run_dot(void) {
    for (int i = 0; i < 20; i++) {
        double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
        for (int j = 0; j < SIDE * SIDE; j++)
            sum += a[0][j] * b[0][j];
        sink = sum;
    }
}

static void run_dynamic(void) {
    for (int i = 0; i < 10; i++) {
#pragma omp parallel for schedule(dynamic)
        for (int row = 0; row < SIDE; row++)
            for (int j = 1; j < 8 * SIDE; j++)
                b[row][j % SIDE] = 0.5 * (a[row][(j - 1) % SIDE] + a[row][j % SIDE]);
    }
}

int main(void) {
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            a[i][j] = i ^ j;
    repeat("stencil", run_stencil, 40);
    repeat("dot", run_dot, 20);
    repeat("dynamic", run_dynamic, 10 * SIDE);
    return 0;
}
