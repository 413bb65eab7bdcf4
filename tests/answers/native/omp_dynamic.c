/* Situation: schedule(dynamic, 1) over millions of iterations of a few nanoseconds.
   usage: omp_dynamic one|static */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

int main(int argc, char **argv)
{
    int one = argc < 2 || !strcmp(argv[1], "one"), n = one ? 1500000 : 20000000;
    double sum = 0;
    if (one) {
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum) //@ here
        for (int i = 0; i < n; i++) //@ here
            sum += 1 / (1.0 + i);
    } else {
        for (int pass = 0; pass < 15; pass++)
#pragma omp parallel for schedule(static) reduction(+ : sum)
            for (int i = 0; i < n; i++)
                sum += 1 / (1.0 + i);
    }
    printf("%g\n", sum);
}
