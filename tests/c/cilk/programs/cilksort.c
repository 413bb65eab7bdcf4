/* Merge sort in four parts, with a merge that is parallel too. */
#include <cilk/cilk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned int element;

enum { SERIAL_SORT = 512, SERIAL_MERGE = 512 };

static int compare(const void *one, const void *other) {
    element x = *(const element *)one, y = *(const element *)other;
    return (x > y) - (x < y);
}

/* How many elements of the sorted `values` are less than `value`. */
static size_t position(const element *values, size_t count, element value) {
    size_t low = 0;
    while (count > 0) {
        size_t half = count / 2;
        if (values[low + half] < value) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

static void merge(const element *a, size_t a_count, const element *b, size_t b_count, element *to) {
    if (a_count < b_count) {
        merge(b, b_count, a, a_count, to);
        return;
    }
    if (a_count + b_count <= SERIAL_MERGE) {
        while (a_count > 0 && b_count > 0)
            if (*b < *a)
                *to++ = *b++, --b_count;
            else
                *to++ = *a++, --a_count;
        memcpy(to, a, a_count * sizeof *to);
        memcpy(to + a_count, b, b_count * sizeof *to);
        return;
    }
    size_t a_half = a_count / 2, b_part = position(b, b_count, a[a_half]);
    cilk_spawn merge(a, a_half, b, b_part, to);
    cilk_spawn merge(a + a_half, a_count - a_half, b + b_part, b_count - b_part, to + a_half + b_part);
    cilk_sync;
}

static void sort(element *values, element *spare, size_t count) {
    if (count <= SERIAL_SORT) {
        qsort(values, count, sizeof *values, compare);
        return;
    }
    size_t quarter = count / 4, half = 2 * quarter, rest = count - 3 * quarter;
    cilk_scope {
        cilk_spawn sort(values, spare, quarter);
        cilk_spawn sort(values + quarter, spare + quarter, quarter);
        cilk_spawn sort(values + half, spare + half, quarter);
        sort(values + half + quarter, spare + half + quarter, rest);
    }
    cilk_spawn merge(values, quarter, values + quarter, quarter, spare);
    merge(values + half, quarter, values + half + quarter, rest, spare + half);
    cilk_sync;
    merge(spare, half, spare + half, count - half, values);
}

int main(int argc, char **argv) {
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 50000;
    element *values = malloc(count * sizeof *values), *spare = malloc(count * sizeof *spare);
    element state = 7;
    unsigned long before = 0, after = 0;
    int is_sorted = 1;
    for (size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        values[i] = state >> 4;
        before += values[i];
    }
    sort(values, spare, count);
    for (size_t i = 0; i < count; ++i) {
        after += values[i];
        is_sorted &= i == 0 || values[i - 1] <= values[i];
    }
    printf("cilksort of %zu: %s\n", count, is_sorted && before == after ? "sorted" : "WRONG");
    free(values);
    free(spare);
    return is_sorted && before == after ? 0 : 1;
}
