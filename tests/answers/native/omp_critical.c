/* Situation: a histogram whose bins are guarded by one critical section; or by an atomic on one sum.
   usage: omp_critical critical|atomic|reduction */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned bin(unsigned i)
{
    for (int k = 0; k < 8; k++)
        i = (i ^ (i >> 15)) * 2246822519u;
    return i >> 26;
}

int main(int argc, char **argv)
{
    const char *variant = argc > 1 ? argv[1] : "critical";
    static long bins[64], sum;
    int critical = !strcmp(variant, "critical"), atomic = !strcmp(variant, "atomic");
    long n = critical ? 400000 : atomic ? 40000000 : 100000000;
    if (critical) {
#pragma omp parallel for //@ here
        for (long i = 0; i < n; i++) {
            unsigned b = bin(i);
#pragma omp critical //@ here
            bins[b]++; //@ here
        }
    } else if (atomic) {
#pragma omp parallel for //@ here
        for (long i = 0; i < n; i++) {
            unsigned b = bin(i);
#pragma omp atomic //@ here
            sum += b; //@ here
        }
    } else {
#pragma omp parallel for reduction(+ : bins[:64])
        for (long i = 0; i < n; i++)
            bins[bin(i)]++;
    }
    printf("%ld %ld\n", bins[3], sum);
}
