// usage: primes ok [NUMBERS]
// Prime counting by trial division; later numbers cost more; guided.
#include <cstdio>
#include <cstdlib>
static bool prime(long n)
{
    if (n % 2 == 0) return n == 2;
    for (long d = 3; d * d <= n; d += 2)
        if (n % d == 0) return false;
    return n > 1;
}
int main(int argc, char **argv)
{
    long n = argc > 2 ? atol(argv[2]) : 2500000, c = 0;
    #pragma omp parallel for schedule(guided, 64) reduction(+:c)
    for (long i = 2; i < n; i++)
        c += prime(i);
    printf("%ld\n", c);
}
