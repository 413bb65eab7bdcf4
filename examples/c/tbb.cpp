/* The papers' programs in oneTBB: parallel_invoke for a known number of calls, else a task_group.
 *
 *     g++ -std=c++17 -O3 -g $(workspan cxxflags) examples/c/tbb.cpp -o tbb -ltbb && workspan run -- ./tbb fib 32 20
 *
 * examples/c/openmp.c and examples/side_by_side.rs are the same programs; `xtask truth runtimes` compares them. */
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_group.h>

#include "serial.h"

static void in_parallel(void (*compute)(void *), void *data) {
    // Starts the runtime, as a parallel region does in OpenMP.
    tbb::parallel_invoke([] {}, [] {});
    compute(data);
}

static long fib(int n, int cutoff) {
    if (n < cutoff)
        return serial_fib(n);
    long one, other;
    tbb::parallel_invoke([&] { one = fib(n - 1, cutoff); }, [&] { other = fib(n - 2, cutoff); });
    return one + other;
}

static void quicksort(uint64_t *numbers, size_t count, size_t cutoff) {
    if (count < cutoff)
        return serial_quicksort(numbers, count);
    size_t middle = partition(numbers, count);
    tbb::parallel_invoke([=] { quicksort(numbers, middle, cutoff); },
                         [=] { quicksort(numbers + middle, count - middle, cutoff); });
}

/* c += a b, by quadrants: four products, then four more. */
static void multiply(double *c, const double *a, const double *b, size_t size) {
    if (size <= BASE)
        return add_product(c, a, b);
    size_t half = size / 2, quarter = half * half;
    for (size_t k = 0; k < 2; ++k) {
        const double *a0 = a + k * quarter, *a1 = a0 + 2 * quarter, *b0 = b + 2 * k * quarter, *b1 = b0 + quarter;
        tbb::parallel_invoke([=] { multiply(c, a0, b0, half); }, [=] { multiply(c + quarter, a0, b1, half); },
                             [=] { multiply(c + 2 * quarter, a1, b0, half); },
                             [=] { multiply(c + 3 * quarter, a1, b1, half); });
    }
}

static long queens(board board, int size, int cutoff) {
    if (board.rows >= cutoff || board.rows == size)
        return serial_queens(board, size);
    long counts[MOST_QUEENS] = {}, sum = 0;
    tbb::task_group group;
    for (int column = 0; column < size; ++column)
        if (is_safe(&board, column))
            group.run([=, &counts] { counts[column] = queens(with_queen(board, column), size, cutoff); });
    group.wait();
    for (long count : counts)
        sum += count;
    return sum;
}

static void merge(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count, uint64_t *merged, size_t cutoff) {
    if (a_count + b_count < cutoff)
        return serial_merge(a, a_count, b, b_count, merged);
    if (a_count < b_count)
        return merge(b, b_count, a, a_count, merged, cutoff);
    size_t middle = a_count / 2, cut = count_below(b, b_count, a[middle]);
    tbb::parallel_invoke([=] { merge(a, middle, b, cut, merged, cutoff); }, [=] {
        merge(a + middle, a_count - middle, b + cut, b_count - cut, merged + middle + cut, cutoff);
    });
}

static void cilksort(uint64_t *numbers, uint64_t *room, size_t count, size_t cutoff) {
    if (count < cutoff)
        return serial_quicksort(numbers, count);
    size_t half = count / 2, quarter = half / 2, rest = count - half - quarter;
    tbb::parallel_invoke([=] { cilksort(numbers, room, quarter, cutoff); },
                         [=] { cilksort(numbers + quarter, room + quarter, half - quarter, cutoff); },
                         [=] { cilksort(numbers + half, room + half, quarter, cutoff); },
                         [=] { cilksort(numbers + half + quarter, room + half + quarter, rest, cutoff); });
    tbb::parallel_invoke(
        [=] { merge(numbers, quarter, numbers + quarter, half - quarter, room, cutoff); },
        [=] { merge(numbers + half, quarter, numbers + half + quarter, rest, room + half, cutoff); });
    merge(room, half, room + half, count - half, numbers, cutoff);
}

int main(int argc, char **argv) { return run(argc, argv); }
