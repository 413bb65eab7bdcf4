/* The papers' programs with OpenMP tasks: a task for each spawn, a taskwait for each sync.
 *
 *     gcc -O3 -g -fopenmp $(workspan cflags) examples/c/openmp.c -o openmp && workspan run -- ./openmp fib 32 20
 *
 * examples/c/tbb.cpp and examples/side_by_side.rs are the same programs; `xtask truth runtimes` compares them. */
#include "serial.h"

static void in_parallel(void (*compute)(void *), void *data) {
#pragma omp parallel
#pragma omp single
    compute(data);
}

static long fib(int n, int cutoff) {
    if (n < cutoff)
        return serial_fib(n);
    long one, other;
#pragma omp task shared(one)
    one = fib(n - 1, cutoff);
    other = fib(n - 2, cutoff);
#pragma omp taskwait
    return one + other;
}

static void quicksort(uint64_t *numbers, size_t count, size_t cutoff) {
    if (count < cutoff) {
        serial_quicksort(numbers, count);
        return;
    }
    size_t middle = partition(numbers, count);
#pragma omp task
    quicksort(numbers, middle, cutoff);
    quicksort(numbers + middle, count - middle, cutoff);
#pragma omp taskwait
}

/* c += a b, by quadrants: four products, then four more. The fourth is a plain call, as in Cilk,
 * but its taskwait also awaits the other three, children of the same task: a longer span. */
static void multiply(double *c, const double *a, const double *b, size_t size) {
    if (size <= BASE) {
        add_product(c, a, b);
        return;
    }
    size_t half = size / 2, quarter = half * half;
    for (size_t k = 0; k < 2; ++k) {
        const double *a0 = a + k * quarter, *a1 = a0 + 2 * quarter, *b0 = b + 2 * k * quarter, *b1 = b0 + quarter;
#pragma omp task
        multiply(c, a0, b0, half);
#pragma omp task
        multiply(c + quarter, a0, b1, half);
#pragma omp task
        multiply(c + 2 * quarter, a1, b0, half);
        multiply(c + 3 * quarter, a1, b1, half);
#pragma omp taskwait
    }
}

static long queens(board board, int size, int cutoff) {
    if (board.rows >= cutoff || board.rows == size)
        return serial_queens(board, size);
    long counts[MOST_QUEENS] = {0}, sum = 0;
    for (int column = 0; column < size; ++column)
        if (is_safe(&board, column)) {
#pragma omp task shared(counts)
            counts[column] = queens(with_queen(board, column), size, cutoff);
        }
#pragma omp taskwait
    for (int column = 0; column < size; ++column)
        sum += counts[column];
    return sum;
}

static void merge(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count, uint64_t *merged, size_t cutoff) {
    if (a_count + b_count < cutoff) {
        serial_merge(a, a_count, b, b_count, merged);
        return;
    }
    if (a_count < b_count) {
        merge(b, b_count, a, a_count, merged, cutoff);
        return;
    }
    size_t middle = a_count / 2, cut = count_below(b, b_count, a[middle]);
#pragma omp task
    merge(a, middle, b, cut, merged, cutoff);
    merge(a + middle, a_count - middle, b + cut, b_count - cut, merged + middle + cut, cutoff);
#pragma omp taskwait
}

static void cilksort(uint64_t *numbers, uint64_t *room, size_t count, size_t cutoff) {
    if (count < cutoff) {
        serial_quicksort(numbers, count);
        return;
    }
    size_t half = count / 2, quarter = half / 2, rest = count - half - quarter;
#pragma omp task
    cilksort(numbers, room, quarter, cutoff);
#pragma omp task
    cilksort(numbers + quarter, room + quarter, half - quarter, cutoff);
#pragma omp task
    cilksort(numbers + half, room + half, quarter, cutoff);
    cilksort(numbers + half + quarter, room + half + quarter, rest, cutoff);
#pragma omp taskwait
#pragma omp task
    merge(numbers, quarter, numbers + quarter, half - quarter, room, cutoff);
    merge(numbers + half, quarter, numbers + half + quarter, rest, room + half, cutoff);
#pragma omp taskwait
    merge(room, half, room + half, count - half, numbers, cutoff);
}

int main(int argc, char **argv) { return run(argc, argv); }
