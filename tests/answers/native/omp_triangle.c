/* Situation: a triangular loop with the default static schedule.
   usage: omp_triangle static|dynamic */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

static double row(int i)
{
    double sum = 0;
    for (int j = 0; j <= i; j++)
        sum += sqrt(i + 0.5 * j);
    return sum;
}

int main(int argc, char **argv)
{
    int n = 16000;
    double *sums = malloc(n * sizeof *sums), total = 0;
    for (int pass = 0; pass < 4; pass++)
        if (argc < 2 || !strcmp(argv[1], "static")) {
#pragma omp parallel for                  //@ here
            for (int i = 0; i < n; i++) //@ here
                sums[i] = row(i);
        } else {
#pragma omp parallel for schedule(dynamic, 16)
            for (int i = 0; i < n; i++)
                sums[i] = row(i);
        }
    for (int i = 0; i < n; i++)
        total += sums[i];
    printf("%g\n", total);
}
