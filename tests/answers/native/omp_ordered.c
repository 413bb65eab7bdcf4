// Results are written in order: ordered around both the formatting and the writing, half of the work.
#include <math.h>
#include <stdio.h>

static double grind(double x, int rounds) {
    for (int i = 0; i < rounds; i++)
        x = sin(x + i);
    return x;
}

int main(void) {
    double total = 0;
#pragma omp parallel for ordered schedule(dynamic)
    for (int i = 0; i < 1500; i++) {
        double value = grind(i, 25000);
#pragma omp ordered //@ here
        total += grind(value, 25000);
    }
    printf("%f\n", total);
    return 0;
}
