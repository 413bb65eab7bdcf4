// usage: hist ok [BLOCKS]
// Histogram with a table per thread; merged under a critical section once
// per thread.  Results of whole blocks are pushed under another one.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
int main(int argc, char **argv)
{
    long blocks = argc > 2 ? atol(argv[2]) : 2000;
    std::vector<long> hist(256, 0);
    std::vector<uint64_t> sums;
    #pragma omp parallel
    {
        std::vector<long> mine(256, 0);
        #pragma omp for schedule(dynamic, 1) nowait
        for (long b = 0; b < blocks; b++) {
            uint64_t s = b + 1, sum = 0;
            for (int i = 0; i < 200000; i++) {
                s ^= s << 13; s ^= s >> 7; s ^= s << 17;
                mine[s & 255]++;
                sum += s;
            }
            #pragma omp critical (push)
            sums.push_back(sum);
        }
        #pragma omp critical (merge)
        for (int k = 0; k < 256; k++)
            hist[k] += mine[k];
    }
    long t = 0;
    for (int k = 0; k < 256; k++)
        t += hist[k] * k;
    printf("%ld %zu\n", t, sums.size());
}
