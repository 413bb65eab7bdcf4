/* Toy neutron transport: histories run in parallel, each collision scores
 * into the global tallies. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <math.h>

#define NHIST 700000

enum { T_COLL, T_ABS, T_TRACK, T_LEAK, NTALLY };
static double global_tally[NTALLY];

static inline double rnd(uint64_t *s)
{
    *s = *s * 6364136223846793005ull + 1442695040888963407ull;
    return ((*s >> 11) + 0.5) * (1.0 / 9007199254740992.0);
}

static void score(int which, double v)
{
    #pragma omp atomic  //@ here
    global_tally[which] += v;  //@ here
}

static void history(long id)
{
    uint64_t s = (uint64_t)id * 0x9E3779B97F4A7C15ull + 1;
    double x = 0, mu = 1, w = 1;
    for (int k = 0; k < 200; k++) {
        double d = -log(rnd(&s)) * 0.8;
        x += mu * d;
        score(T_TRACK, w * d);
        if (fabs(x) > 6.0) {
            score(T_LEAK, w);
            return;
        }
        score(T_COLL, w);
        double a = w * 0.08;
        score(T_ABS, a);
        w -= a;
        mu = 2 * rnd(&s) - 1;
        if (w < 0.1)
            return;
    }
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : NHIST;
    #pragma omp parallel for schedule(dynamic, 200)
    for (long i = 0; i < n; i++)
        history(i);
    for (int t = 0; t < NTALLY; t++)
        printf("tally %d: %.6g\n", t, global_tally[t] / n);
    return 0;
}
