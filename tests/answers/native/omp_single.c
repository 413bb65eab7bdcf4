/* Situation: the loop inside `parallel` has no `for`, so that each thread runs all of it; or stands in `single`.
   usage: omp_single whole|single|for */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long trial(unsigned long x)
{
    for (int k = 0; k < 20000; k++)
        x = ((x << 9) | (x >> 55)) * 0xD6E8FEB86659FD93ul ^ 0x55;
    return x;
}

int main(int argc, char **argv)
{
    const char *variant = argc > 1 ? argv[1] : "whole";
    static unsigned long found[40000];
    int n = 20000;
    if (!strcmp(variant, "whole")) {
#pragma omp parallel //@ here
        for (int i = 0; i < n; i++) //@ here
            found[i] = trial(i); //@ here
    } else if (!strcmp(variant, "single")) {
#pragma omp parallel //@ here
#pragma omp single //@ here
        for (int i = 0; i < n; i++) //@ here
            found[i] = trial(i); //@ here
    } else {
#pragma omp parallel for
        for (int i = 0; i < 2 * n; i++)
            found[i] = trial(i);
    }
    printf("%lu\n", found[7]);
}
