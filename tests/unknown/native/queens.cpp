// usage: queens ok [SIZE]
// N queens with tasks down to a depth, then serially.
#include <cstdio>
#include <cstdlib>
static int N;
static long serial(int row, unsigned c, unsigned l, unsigned r)
{
    if (row == N) return 1;
    long s = 0;
    for (unsigned f = ~(c | l | r) & ((1u << N) - 1); f; f &= f - 1) {
        unsigned b = f & -f;
        s += serial(row + 1, c | b, (l | b) << 1, (r | b) >> 1);
    }
    return s;
}
static void spawn(int row, unsigned c, unsigned l, unsigned r, long *out)
{
    if (row == 3) {
        long s = serial(row, c, l, r);
        #pragma omp atomic
        *out += s;
        return;
    }
    for (unsigned f = ~(c | l | r) & ((1u << N) - 1); f; f &= f - 1) {
        unsigned b = f & -f;
        #pragma omp task
        spawn(row + 1, c | b, (l | b) << 1, (r | b) >> 1, out);
    }
}
int main(int argc, char **argv)
{
    N = argc > 2 ? atoi(argv[2]) : 15;
    long total = 0;
    #pragma omp parallel
    #pragma omp single
    spawn(0, 0, 0, 0, &total);
    printf("%ld\n", total);
}
