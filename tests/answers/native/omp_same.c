/* Each thread does the whole work, whatever it asks for.
   usage: omp_same silent|prints|percent|compares|stops|before|behind|called */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

static double table[64];

static __attribute__((noinline)) double simulate(void) {
    double sum = 0;
    for (long step = 1; step < 200000000; step++) sum += 1.0 / sqrt(step + 0.37);
    return sum;
}

static __attribute__((noinline)) void fill(void) {
    int number = omp_get_thread_num(), threads = omp_get_num_threads();
    for (int i = number; i < 64; i += threads) table[i] = sqrt(i);
}

int main(int argc, char **argv) {
    const char *variant = argc > 1 ? argv[1] : "silent";
    double result = 0;
#pragma omp parallel  //@ here
    {
        double own = 0;
        if (!strcmp(variant, "silent")) {
            own = simulate();
        } else if (!strcmp(variant, "prints")) {
            printf("thread %d of %d\n", omp_get_thread_num(), omp_get_num_threads());
            own = simulate();
        }
#pragma omp critical
        result += own;
    }
    if (!strcmp(variant, "percent")) {
#pragma omp parallel
        {
            printf("%d%%\n", 100 * omp_get_thread_num() / omp_get_num_threads());
            double own = simulate();
#pragma omp critical
            result = own;
        }
    } else if (!strcmp(variant, "compares")) {
#pragma omp parallel
        {
            double own = 100 * omp_get_thread_num() / omp_get_num_threads() > 49 ? 1 : 2;
            own += simulate();
#pragma omp critical
            result = own;
        }
    } else if (!strcmp(variant, "stops")) {
#pragma omp parallel
        {
            int last = omp_get_thread_num() * omp_get_num_threads();
            double own = 0;
            for (int step = 0; step < 2; step++) {
                own += simulate() / 2;
                if (last > 1000) break;
            }
#pragma omp critical
            result = own;
        }
    } else if (!strcmp(variant, "before")) {
#pragma omp parallel
        {
            int number = omp_get_thread_num(), threads = omp_get_num_threads();
            double own = simulate();
            for (int i = number; i < 64; i += threads) table[i] = own * i;
        }
        result = table[1];
    } else if (!strcmp(variant, "behind")) {
#pragma omp parallel
        {
#pragma omp for nowait
            for (int i = 0; i < 64; i++) table[i] = sqrt(i);
            double own = 0;
            for (long step = 1; step < 200000000; step++) own += 1.0 / sqrt(step + 0.37);
#pragma omp critical
            result = own;
        }
    } else if (!strcmp(variant, "called")) {
#pragma omp parallel
        {
            fill();
            double own = simulate();
#pragma omp critical
            result = own;
        }
    }
    printf("%.3f\n", result);
    return 0;
}
