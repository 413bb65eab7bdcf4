// Sort a large column: split once around a pivot, sort the two parts at once.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

static uint32_t mix(uint32_t h)
{
    h ^= h >> 16; h *= 0x7feb352du;
    h ^= h >> 15; h *= 0x846ca68bu;
    return h ^ (h >> 16);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? atol(argv[1]) : 8000000;
    const char *e = getenv("NTHREADS");
    unsigned nt = e ? atoi(e) : std::thread::hardware_concurrency();

    std::vector<uint32_t> v(n);
    auto fill = [&](size_t lo, size_t hi) {
        for (size_t i = lo; i < hi; i++)
            v[i] = mix(uint32_t(i));
    };
    std::vector<std::thread> pool;
    for (unsigned t = 0; t < nt; t++)
        pool.emplace_back(fill, n * t / nt, n * (t + 1) / nt);
    for (auto &t : pool)
        t.join();

    if (nt == 1) {
        std::sort(v.begin(), v.end());
    } else {
        uint64_t sum = 0;
        for (size_t k = 0; k < 1001; k++)
            sum += v[k * (n / 1001)];
        uint32_t pivot = uint32_t(sum / 1001);
        auto mid = std::partition(v.begin(), v.end(),
                                  [=](uint32_t a) { return a < pivot; });
        std::thread lower([&] { std::sort(v.begin(), mid); });  //@ here
        std::thread upper([&] { std::sort(mid, v.end()); });  //@ here
        lower.join();
        upper.join();
    }
    printf("%u %u %u\n", v[0], v[n / 2], v[n - 1]);
}
