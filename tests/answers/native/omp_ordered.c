// Results are written in order: ordered around the formatting and the writing, half of the work.
// usage: omp_ordered half|write     write: ordered around the writing alone (fine)
#include <math.h>
#include <stdio.h>
#include <string.h>

static double grind(double x, int rounds) {
    for (int i = 0; i < rounds; i++)
        x = sin(x + i);
    return x;
}

int main(int argc, char **argv) {
    double total = 0;
    if (argc > 1 && !strcmp(argv[1], "write")) {
#pragma omp parallel for ordered schedule(dynamic)
        for (int i = 0; i < 1500; i++) {
            double value = grind(grind(i, 25000), 25000);
#pragma omp ordered
            total += value;
        }
        printf("%f\n", total);
        return 0;
    }
#pragma omp parallel for ordered schedule(dynamic)
    for (int i = 0; i < 1500; i++) {
        double value = grind(i, 25000);
#pragma omp ordered //@ here
        total += grind(value, 25000);
    }
    printf("%f\n", total);
    return 0;
}
