// After https://intel.com/content/www/us/en/docs/onetbb/developer-guide-api-reference/2021-10/throughput-of-pipeline.html (N tokens, N operations at once).
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>

static const int CHUNKS = 1500;

static uint64_t churn(uint64_t x, int steps) {
    for (int k = 0; k < steps; k++)
        x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9ULL + 1;
    return x;
}

int main(int argc, char **argv) {
    bool fixed = argc > 1 && !std::strcmp(argv[1], "fixed");
    size_t tokens = fixed ? 4 * (size_t)tbb::info::default_concurrency() : 4;
    int n = 0;
    uint64_t out = 0;
    tbb::parallel_pipeline( //@ here
        tokens, //@ here
        tbb::make_filter<void, uint64_t>(tbb::filter_mode::serial_in_order,
                                         [&](tbb::flow_control &fc) -> uint64_t {
                                             if (n == CHUNKS) {
                                                 fc.stop();
                                                 return 0;
                                             }
                                             return churn(n++, 500);
                                         }) &
            tbb::make_filter<uint64_t, uint64_t>(tbb::filter_mode::parallel,
                                                 [](uint64_t x) { return churn(x, 500000); }) &
            tbb::make_filter<uint64_t, void>(tbb::filter_mode::serial_in_order,
                                             [&](uint64_t x) { out = out * 31 + churn(x, 500); }));
    std::printf("%llx\n", (unsigned long long)out);
    return 0;
}
