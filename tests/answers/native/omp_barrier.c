/* Situation: a stencil's rows are 2 µs each, with a worksharing loop and its barrier for each row.
   usage: omp_barrier rows|blocks */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2000, COLUMNS = 2048 };
static float grid[ROWS][COLUMNS];

int main(int argc, char **argv)
{
    int rows = argc < 2 || !strcmp(argv[1], "rows");
    for (int i = 0; i < COLUMNS; i++)
        grid[0][i] = i % 17;
    if (rows) {
#pragma omp parallel
        for (int step = 0; step < 60; step++)
            for (int r = 1; r < ROWS; r++)
#pragma omp for //@ here
                for (int c = 1; c < COLUMNS - 1; c++) //@ here
                    grid[r][c] = 0.5f * grid[r - 1][c] + 0.25f * (grid[r - 1][c - 1] + grid[r - 1][c + 1]);
    } else {
        /* the columns of a block go down all rows; the edges are recomputed */
#pragma omp parallel for schedule(dynamic)
        for (int block = 0; block < 64; block++) {
            static _Thread_local float a[2 * COLUMNS], b[2 * COLUMNS];
            for (int step = 0; step < 60; step++) {
                memcpy(a, grid[0], sizeof grid[0]);
                for (int r = 1; r < ROWS; r++) {
                    for (int c = 1; c < 64; c++)
                        b[c] = 0.5f * a[c] + 0.25f * (a[c - 1] + a[c + 1]);
                    memcpy(a, b, 64 * sizeof *a);
                    grid[r][block] = a[3];
                }
            }
        }
    }
    printf("%g\n", grid[ROWS - 1][COLUMNS / 2]);
}
