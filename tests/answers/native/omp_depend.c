/* Situation: tasks whose depend clause names the whole array: each waits for the one before.
   usage: omp_depend chain|own */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void factor(unsigned long *block)
{
    for (int k = 0; k < 3000000; k++)
        *block = ((*block << 9) | (*block >> 55)) * 0xD6E8FEB86659FD93ul ^ 0x55;
}

int main(int argc, char **argv)
{
    static unsigned long blocks[512];
    int chain = argc < 2 || !strcmp(argv[1], "chain"), n = chain ? 160 : 320;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < n; i++)
        if (chain) {
#pragma omp task depend(inout : blocks) //@ here
            factor(&blocks[i]); //@ here
        } else {
#pragma omp task depend(inout : blocks[i])
            factor(&blocks[i]);
        }
    printf("%lu\n", blocks[7]);
}
