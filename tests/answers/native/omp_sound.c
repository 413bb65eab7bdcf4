/* Sound programs: every usual way to divide equal items, so nothing is to be said against any.
   usage: omp_sound static|chunked|cyclic|dynamic|guided|reduction|sections|collapse|tasks|taskloop|orphaned|phases|steps|by_hand */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#define ITEMS 240
static double results[ITEMS];

static double item(int number) {
    double sum = 0;
    for (int step = 1; step < 1000000; step++) sum += 1.0 / sqrt(step + number * 0.37);
    return sum;
}

static __attribute__((noinline)) void all_items(int from, int to) {
#pragma omp for
    for (int i = from; i < to; i++) results[i] = item(i);
}

static void halve(int from, int to) {
    if (to - from <= 4) {
        for (int i = from; i < to; i++) results[i] = item(i);
        return;
    }
#pragma omp task
    halve(from, (from + to) / 2);
    halve((from + to) / 2, to);
#pragma omp taskwait
}

int main(int argc, char **argv) {
    const char *variant = argc > 1 ? argv[1] : "static";
    double sum = 0;
    int chunk = argc + 6;
    if (!strcmp(variant, "static")) {
#pragma omp parallel for
        for (int i = 0; i < ITEMS; i++) results[i] = item(i);
    } else if (!strcmp(variant, "chunked")) {
#pragma omp parallel for schedule(static, chunk)
        for (int i = 0; i < ITEMS; i++) results[i] = item(i);
    } else if (!strcmp(variant, "cyclic")) {
#pragma omp parallel for schedule(static, 1)
        for (int i = 0; i < ITEMS; i++) results[i] = item(i);
    } else if (!strcmp(variant, "dynamic")) {
#pragma omp parallel for schedule(dynamic, 2)
        for (int i = 0; i < ITEMS; i++) results[i] = item(i);
    } else if (!strcmp(variant, "guided")) {
#pragma omp parallel for schedule(guided)
        for (int i = 0; i < ITEMS; i++) results[i] = item(i);
    } else if (!strcmp(variant, "reduction")) {
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < ITEMS; i++) sum += item(i);
    } else if (!strcmp(variant, "sections")) {
#pragma omp parallel sections
        {
#pragma omp section
            for (int i = 0; i < ITEMS / 4; i++) results[i] = item(i);
#pragma omp section
            for (int i = ITEMS / 4; i < ITEMS / 2; i++) results[i] = item(i);
#pragma omp section
            for (int i = ITEMS / 2; i < ITEMS / 4 * 3; i++) results[i] = item(i);
#pragma omp section
            for (int i = ITEMS / 4 * 3; i < ITEMS; i++) results[i] = item(i);
        }
    } else if (!strcmp(variant, "collapse")) {
#pragma omp parallel for collapse(2)
        for (int i = 0; i < ITEMS / 12; i++)
            for (int j = 0; j < 12; j++) results[i * 12 + j] = item(i * 12 + j);
    } else if (!strcmp(variant, "tasks")) {
#pragma omp parallel
#pragma omp single
        halve(0, ITEMS);
    } else if (!strcmp(variant, "taskloop")) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(4)
        for (int i = 0; i < ITEMS; i++) results[i] = item(i);
    } else if (!strcmp(variant, "orphaned")) {
#pragma omp parallel
        {
            all_items(0, ITEMS / 2);
            all_items(ITEMS / 2, ITEMS);
        }
    } else if (!strcmp(variant, "phases")) {
#pragma omp parallel
        {
            if (omp_get_thread_num() == 0) fprintf(stderr, "%d threads\n", omp_get_num_threads());
#pragma omp for
            for (int i = 0; i < ITEMS / 2; i++) results[i] = item(i);
#pragma omp for
            for (int i = ITEMS / 2; i < ITEMS; i++) results[i] = item(i) + results[0];
        }
    } else if (!strcmp(variant, "steps")) {
#pragma omp parallel
        for (int step = 0; step < 4; step++) {
#pragma omp for
            for (int i = 0; i < ITEMS / 8; i++) results[i] = item(i + step);
#pragma omp for
            for (int i = 0; i < ITEMS / 8; i++) results[i] += item(i - step);
        }
    } else if (!strcmp(variant, "by_hand")) {
#pragma omp parallel
        {
            int number = omp_get_thread_num(), threads = omp_get_num_threads();
            for (int i = number; i < ITEMS; i += threads) results[i] = item(i);
        }
    }
    for (int i = 0; i < ITEMS; i++) sum += results[i];
    printf("%.3f\n", sum);
    return 0;
}
