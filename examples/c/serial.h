/* The serial parts of the papers' programs, shared by openmp.c and tbb.cpp (and in Rust in
 * side_by_side.rs): input, the code of a task, and the check of the answer. C11 and C++17. */
#ifndef SERIAL_H
#define SERIAL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <workspan.h>

/* Fewer numbers than these are sorted by insertion. */
enum { FEW = 32 };
/* Rows of the largest matrices that are multiplied serially, in about 10 µs. */
enum { BASE = 32 };
enum { MOST_QUEENS = 13 };

static inline long serial_fib(int n) { return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2); }

static inline long fib_by_addition(int n) {
    long now = 0, next = 1;
    while (n-- > 0) {
        long sum = now + next;
        now = next;
        next = sum;
    }
    return now;
}

/* Random numbers, by Marsaglia's xorshift. */
static inline void fill(uint64_t *numbers, size_t count) {
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < count; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        numbers[i] = state;
    }
}

static inline uint64_t sum_of(const uint64_t *numbers, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += numbers[i];
    return sum;
}

static inline int is_sorted(const uint64_t *numbers, size_t count) {
    for (size_t i = 1; i < count; ++i)
        if (numbers[i - 1] > numbers[i])
            return 0;
    return 1;
}

/* Hoare's partition around the middle element. Both sides hold at least one number. */
static inline size_t partition(uint64_t *numbers, size_t count) {
    uint64_t pivot = numbers[(count - 1) / 2];
    for (size_t low = 0, high = count - 1;; ++low, --high) {
        while (numbers[low] < pivot)
            ++low;
        while (numbers[high] > pivot)
            --high;
        if (low >= high)
            return high + 1;
        uint64_t other = numbers[low];
        numbers[low] = numbers[high];
        numbers[high] = other;
    }
}

static inline void insertion_sort(uint64_t *numbers, size_t count) {
    for (size_t end = 1; end < count; ++end) {
        uint64_t number = numbers[end];
        size_t place = end;
        for (; place > 0 && numbers[place - 1] > number; --place)
            numbers[place] = numbers[place - 1];
        numbers[place] = number;
    }
}

static inline void serial_quicksort(uint64_t *numbers, size_t count) {
    if (count < FEW) {
        insertion_sort(numbers, count);
        return;
    }
    size_t middle = partition(numbers, count);
    serial_quicksort(numbers, middle);
    serial_quicksort(numbers + middle, count - middle);
}

static inline void serial_merge(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count, uint64_t *merged) {
    while (a_count > 0 || b_count > 0)
        if (b_count == 0 || (a_count > 0 && *a <= *b)) {
            *merged++ = *a++;
            --a_count;
        } else {
            *merged++ = *b++;
            --b_count;
        }
}

/* How many of the sorted numbers are less than `number`. */
static inline size_t count_below(const uint64_t *numbers, size_t count, uint64_t number) {
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (numbers[middle] < number)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* Adds the product of two blocks of BASE rows, stored row by row, to a third. */
static inline void add_product(double *__restrict c, const double *__restrict a, const double *__restrict b) {
    for (int row = 0; row < BASE; ++row)
        for (int k = 0; k < BASE; ++k)
            for (int column = 0; column < BASE; ++column)
                c[row * BASE + column] += a[row * BASE + k] * b[k * BASE + column];
}

/* Where an element is stored: quadrants follow one another, down to blocks of BASE rows. */
static inline size_t element(size_t size, size_t row, size_t column) {
    size_t start = 0;
    for (; size > BASE; row %= size, column %= size) {
        size /= 2;
        start += (row / size * 2 + column / size) * size * size;
    }
    return start + row * size + column;
}

static inline void times_vector(const double *matrix, size_t size, const double *vector, double *product) {
    for (size_t row = 0; row < size; ++row) {
        product[row] = 0;
        for (size_t column = 0; column < size; ++column)
            product[row] += matrix[element(size, row, column)] * vector[column];
    }
}

/* Freivalds' check: C x = A (B x), exact, since all are whole numbers. */
static inline int is_product(const double *c, const double *a, const double *b, size_t size) {
    double *x = (double *)calloc(4 * size, sizeof *x), *bx = x + size, *abx = bx + size, *cx = abx + size;
    for (size_t i = 0; i < size; ++i)
        x[i] = (double)(i * 7919 % 1000);
    times_vector(b, size, x, bx);
    times_vector(a, size, bx, abx);
    times_vector(c, size, x, cx);
    int is_right = memcmp(abx, cx, size * sizeof *x) == 0;
    free(x);
    return is_right;
}

/* The queens' columns, row by row from the first. */
typedef struct board {
    unsigned char columns[MOST_QUEENS];
    int rows;
} board;

static inline int is_safe(const board *board, int column) {
    for (int distance = 1; distance <= board->rows; ++distance) {
        int queen = board->columns[board->rows - distance];
        if (queen == column || queen - column == distance || column - queen == distance)
            return 0;
    }
    return 1;
}

static inline board with_queen(board board, int column) {
    board.columns[board.rows++] = (unsigned char)column;
    return board;
}

static inline long serial_queens(board board, int size) {
    if (board.rows == size)
        return 1;
    long sum = 0;
    for (int column = 0; column < size; ++column)
        if (is_safe(&board, column))
            sum += serial_queens(with_queen(board, column), size);
    return sum;
}

/* The parallel parts, which openmp.c and tbb.cpp define. */
static long fib(int n, int cutoff);
static void quicksort(uint64_t *numbers, size_t count, size_t cutoff);
static void multiply(double *c, const double *a, const double *b, size_t size);
static long queens(board board, int size, int cutoff);
static void cilksort(uint64_t *numbers, uint64_t *room, size_t count, size_t cutoff);
/* Runs a computation in a place where it may create tasks. */
static void in_parallel(void (*compute)(void *), void *data);

/* A program's arguments and its data. */
typedef struct problem {
    const char *name;
    size_t size, cutoff;
    uint64_t *numbers, *room;
    double *a, *b, *c;
    board empty;
    long answer, elapsed_ns;
} problem;

static inline void compute(void *data) {
    problem *p = (problem *)data;
    struct timespec from, to;
    uint64_t region = workspan_region_begin_here("compute");
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    if (strcmp(p->name, "fib") == 0)
        p->answer = fib((int)p->size, (int)p->cutoff);
    else if (strcmp(p->name, "quicksort") == 0)
        quicksort(p->numbers, p->size, p->cutoff);
    else if (strcmp(p->name, "matmul") == 0)
        multiply(p->c, p->a, p->b, p->size);
    else if (strcmp(p->name, "nqueens") == 0)
        p->answer = queens(p->empty, (int)p->size, (int)p->cutoff);
    else
        cilksort(p->numbers, p->room, p->size, p->cutoff);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    workspan_region_end(region);
    p->elapsed_ns = (to.tv_sec - from.tv_sec) * 1000000000L + (to.tv_nsec - from.tv_nsec);
}

/* Runs the program that the arguments name; 0 if its answer is right. */
static inline int run(int argc, char **argv) {
    static const long solutions[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712};
    static const char *const names[] = {"fib", "quicksort", "matmul", "nqueens", "cilksort"};
    problem p;
    memset(&p, 0, sizeof p);
    for (size_t i = 0; argc == 4 && i < sizeof names / sizeof *names; ++i)
        if (strcmp(argv[1], names[i]) == 0)
            p.name = names[i];
    if (p.name == NULL) {
        fprintf(stderr, "usage: %s fib|quicksort|matmul|nqueens|cilksort SIZE CUTOFF\n", argv[0]);
        return 2;
    }
    p.size = strtoul(argv[2], NULL, 10);
    p.cutoff = strtoul(argv[3], NULL, 10);
    int is_matmul = strcmp(p.name, "matmul") == 0, is_nqueens = strcmp(p.name, "nqueens") == 0;
    int is_fib = strcmp(p.name, "fib") == 0, is_sort = !(is_matmul || is_nqueens || is_fib);
    if ((is_matmul && (p.size < BASE || p.size > 4096 || (p.size & (p.size - 1)) != 0)) || (is_nqueens && p.size > MOST_QUEENS) ||
        (is_fib && (p.size > 50 || p.cutoff < 2)) || (is_sort && (p.size == 0 || p.cutoff < FEW))) {
        fprintf(stderr, "%s: no such SIZE or CUTOFF\n", p.name);
        return 2;
    }
    size_t elements = is_matmul ? p.size * p.size : 0, count = is_sort ? p.size : 0;
    uint64_t sum = 0;
    p.numbers = (uint64_t *)calloc(2 * count + elements, sizeof *p.numbers);
    p.room = p.numbers + count;
    p.a = (double *)malloc((3 * elements + 1) * sizeof *p.a);
    p.b = p.a + elements;
    p.c = p.b + elements;
    fill(p.numbers, count + elements);
    for (size_t i = 0; i < elements; ++i) {
        p.a[i] = (double)(p.numbers[i] % 17) - 8;
        p.b[i] = (double)(p.numbers[i] / 17 % 17) - 8;
    }
    sum = sum_of(p.numbers, count);
    /* Touches all pages before the clock starts. */
    memset(p.c, 0, elements * sizeof *p.c);
    memset(p.room, 1, count * sizeof *p.room);
    in_parallel(compute, &p);
    int is_right = is_fib       ? p.answer == fib_by_addition((int)p.size)
                   : is_nqueens ? p.answer == solutions[p.size]
                   : is_matmul  ? is_product(p.c, p.a, p.b, p.size)
                                : is_sorted(p.numbers, count) && sum_of(p.numbers, count) == sum;
    printf("%s %zu %zu: %s, %ld ns of processor time\n", p.name, p.size, p.cutoff, is_right ? "right" : "WRONG", p.elapsed_ns);
    free(p.numbers);
    free(p.a);
    return is_right ? 0 : 1;
}

#endif
