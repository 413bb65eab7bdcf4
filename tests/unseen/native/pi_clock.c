/* Integrates some functions and prints the seconds by clock() as well as those that passed. clock() counts those of all
   threads, so that it grows with them; the program is sound.
   usage: pi_clock reduction|parts     parts: each thread adds its own sums once, in a critical section (as sound) */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define STEPS 40000000L
#define FUNCTIONS 4

static double quarter(double x) { return 4 / (1 + x * x); }
static double half_circle(double x) { return 4 * sqrt(1 - x * x); }
static double bell(double x) { return exp(-x * x); }
static double wave(double x) { return cos(20 * x) / (1 + x); }

struct task {
    const char *name;
    double (*function)(double);
};

static const struct task tasks[FUNCTIONS] = {
    {"4 / (1 + x^2)", quarter},
    {"4 sqrt(1 - x^2)", half_circle},
    {"exp(-x^2)", bell},
    {"cos(20 x) / (1 + x)", wave},
};

static double by_reduction(double (*function)(double)) {
    double sum = 0, width = 1.0 / STEPS;
#pragma omp parallel for reduction(+ : sum)
    for (long step = 0; step < STEPS; step++) sum += function((step + 0.5) * width);
    return sum * width;
}

static double by_parts(double (*function)(double)) {
    double sum = 0, width = 1.0 / STEPS;
#pragma omp parallel
    {
        int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        long from = STEPS * thread / threads, to = STEPS * (thread + 1) / threads;
        double part = 0;
        for (long step = from; step < to; step++) part += function((step + 0.5) * width);
#pragma omp critical
        sum += part;
    }
    return sum * width;
}

static double passed(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    int parts = argc > 1 && !strcmp(argv[1], "parts");
    for (int k = 0; k < FUNCTIONS; k++) {
        double began = passed();
        clock_t ticks = clock();
        double value = parts ? by_parts(tasks[k].function) : by_reduction(tasks[k].function);
        double by_clock = (double)(clock() - ticks) / CLOCKS_PER_SEC;
        printf("%-20s %.10f  clock() %.3f s, passed %.3f s\n", tasks[k].name, value, by_clock, passed() - began);
    }
    return 0;
}
