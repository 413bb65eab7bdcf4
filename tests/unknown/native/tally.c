/* usage: tally bad|good [HISTORIES]
 * Toy neutron transport: histories run in parallel, each collision scores
 * into the global tallies, or into tallies of the thread, summed up at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <math.h>

enum { T_COLL, T_ABS, T_TRACK, T_LEAK, NTALLY };
static double tally[NTALLY];

static inline double rnd(uint64_t *s)
{
    *s = *s * 6364136223846793005ull + 1442695040888963407ull;
    return ((*s >> 11) + 0.5) * (1.0 / 9007199254740992.0);
}

/* Inlined down to the loop, so that it is known there whether there is an `own`. */
#define INLINE static inline __attribute__((always_inline))

INLINE void score(double *own, int which, double v)
{
    if (own) {
        own[which] += v;
    } else {
        #pragma omp atomic  //@ here
        tally[which] += v;  //@ here
    }
}

INLINE void history(long id, double *own)
{
    uint64_t s = (uint64_t)id * 0x9E3779B97F4A7C15ull + 1;
    double x = 0, mu = 1, w = 1;
    for (int k = 0; k < 200; k++) {
        double d = -log(rnd(&s)) * 0.8;
        x += mu * d;
        score(own, T_TRACK, w * d);
        if (fabs(x) > 6.0) {
            score(own, T_LEAK, w);
            return;
        }
        score(own, T_COLL, w);
        double a = w * 0.08;
        score(own, T_ABS, a);
        w -= a;
        mu = 2 * rnd(&s) - 1;
        if (w < 0.1)
            return;
    }
}

int main(int argc, char **argv)
{
    int good = argc > 1 && !strcmp(argv[1], "good");
    long n = argc > 2 ? atol(argv[2]) : good ? 1500000 : 700000;
    if (good) {
        #pragma omp parallel for schedule(dynamic, 200) reduction(+:tally[:NTALLY])
        for (long i = 0; i < n; i++)
            history(i, tally);
    } else {
        #pragma omp parallel for schedule(dynamic, 200)
        for (long i = 0; i < n; i++)
            history(i, NULL);
    }
    for (int t = 0; t < NTALLY; t++)
        printf("tally %d: %.6g\n", t, tally[t] / n);
    return 0;
}
