/* Ways to place n queens, a task for each place that is free in a row. */
#include <cilk/cilk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_free(int row, const signed char *columns, int column) {
    for (int above = 0; above < row; ++above) {
        int distance = columns[above] - column;
        if (distance == 0 || distance == row - above || distance == above - row)
            return 0;
    }
    return 1;
}

static int solutions(int n, int row, const signed char *columns) {
    int counts[16] = {0}, sum = 0;
    signed char boards[16][16];
    if (row == n)
        return 1;
    for (int column = 0; column < n; ++column)
        if (is_free(row, columns, column)) {
            memcpy(boards[column], columns, (size_t)row);
            boards[column][row] = (signed char)column;
            counts[column] = cilk_spawn solutions(n, row + 1, boards[column]);
        }
    cilk_sync;
    for (int column = 0; column < n; ++column)
        sum += counts[column];
    return sum;
}

int main(int argc, char **argv) {
    static const int known[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
    int n = argc > 1 ? atoi(argv[1]) : 8;
    int found = solutions(n, 0, (const signed char *)"");
    printf("nqueens(%d) = %d\n", n, found);
    return n <= 12 && found == known[n] ? 0 : 1;
}
