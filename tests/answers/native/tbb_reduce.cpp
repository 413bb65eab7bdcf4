// Situation: a deterministic reduce whose join adds tables that are larger than the work of a piece.
// usage: tbb_reduce tables|shared
#include <atomic>
#include <cstdio>
#include <cstring>
#include <tbb/tbb.h>
#include <vector>

using Table = std::vector<unsigned>;
static const size_t BINS = 1 << 19;

static size_t bin(size_t i)
{
    return (i * 0x9E3779B97F4A7C15ul) >> 45;
}

int main(int argc, char **argv)
{
    size_t n = 20000000, sum = 0;
    if (argc < 2 || !strcmp(argv[1], "tables")) {
        Table all = tbb::parallel_deterministic_reduce( //@ here
            tbb::blocked_range<size_t>(0, n, 50000), Table(BINS), //@ here
            [](const tbb::blocked_range<size_t> &range, Table table) {
                for (size_t i = range.begin(); i < range.end(); i++)
                    table[bin(i)]++;
                return table;
            },
            [](Table a, const Table &b) {
                for (size_t i = 0; i < BINS; i++)
                    a[i] += b[i]; //@ here
                return a;
            },
            tbb::simple_partitioner());
        for (size_t i = 0; i < BINS; i++)
            sum += all[i] * i;
    } else {
        std::vector<std::atomic<unsigned>> all(BINS);
        for (int pass = 0; pass < 4; pass++)
            tbb::parallel_for(tbb::blocked_range<size_t>(0, n), [&](auto &range) {
                for (size_t i = range.begin(); i < range.end(); i++)
                    all[bin(i)].fetch_add(1, std::memory_order_relaxed);
            });
        for (size_t i = 0; i < BINS; i++)
            sum += all[i] * i;
    }
    printf("%zu\n", sum);
}
