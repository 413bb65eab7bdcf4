// After https://github.com/nimble-dev/nCompiler/issues/126 "poor scaling of TBB on Linux": an outer
// parallel_for of 4 whose body has its own parallel_for; does the nesting hurt, is it held to 4?
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <vector>

using oneapi::tbb::blocked_range;
using oneapi::tbb::parallel_for;

static double rnorm_mean(uint64_t seed, int m) {
    uint64_t s = seed * 0x9e3779b97f4a7c15ull + 1;
    double sum = 0;
    for (int k = 0; k < m; k++) {
        s ^= s << 13; s ^= s >> 7; s ^= s << 17;
        double u = (s >> 11) * 0x1p-53 + 1e-12;
        s ^= s << 13; s ^= s >> 7; s ^= s << 17;
        double w = (s >> 11) * 0x1p-53;
        sum += std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * w);
    }
    return sum / m;
}

int main() {
    const int n = 4, inner = 2000, m = 10000;
    std::vector<double> y(n * inner);
    parallel_for(0, n, [&](int i) {
        parallel_for(blocked_range<int>(0, inner), [&](const blocked_range<int> &r) {
            for (int j = r.begin(); j != r.end(); ++j)
                y[i * inner + j] = rnorm_mean(uint64_t(i) * inner + j + 1, m);
        });
    });
    double t = 0;
    for (double v : y)
        t += v;
    std::printf("%.6f\n", t);
}
