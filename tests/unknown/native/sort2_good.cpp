// Sort a large column: bucket by splitters, all phases by all threads.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

static uint32_t mix(uint32_t h)
{
    h ^= h >> 16; h *= 0x7feb352du;
    h ^= h >> 15; h *= 0x846ca68bu;
    return h ^ (h >> 16);
}

static void on_all(unsigned nt, const std::function<void(unsigned)> &f)
{
    std::vector<std::thread> pool;
    for (unsigned t = 1; t < nt; t++)
        pool.emplace_back(f, t);
    f(0);
    for (auto &t : pool)
        t.join();
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? atol(argv[1]) : 8000000;
    const char *e = getenv("NTHREADS");
    unsigned nt = e ? atoi(e) : std::thread::hardware_concurrency();
    const unsigned NB = 1024;

    // not a vector: first touched by the threads
    std::unique_ptr<uint32_t[]> v(new uint32_t[n]), out(new uint32_t[n]);
    std::vector<std::vector<size_t>> pos(nt, std::vector<size_t>(NB, 0));
    auto lo = [&](unsigned t) { return n * t / nt; };

    on_all(nt, [&](unsigned t) {
        std::vector<size_t> c(NB, 0);
        for (size_t i = lo(t); i < lo(t + 1); i++) {
            v[i] = mix(uint32_t(i));
            c[v[i] >> 22]++;
        }
        pos[t] = c;
    });
    std::vector<size_t> start(NB + 1, 0);
    size_t at = 0;
    for (unsigned b = 0; b < NB; b++) {
        start[b] = at;
        for (unsigned t = 0; t < nt; t++) {
            size_t c = pos[t][b];
            pos[t][b] = at;
            at += c;
        }
    }
    start[NB] = at;
    on_all(nt, [&](unsigned t) {
        std::vector<size_t> p = pos[t];
        for (size_t i = lo(t); i < lo(t + 1); i++)
            out[p[v[i] >> 22]++] = v[i];
    });
    std::atomic<unsigned> next{0};
    on_all(nt, [&](unsigned) {
        for (unsigned b; (b = next++) < NB;)
            std::sort(out.get() + start[b], out.get() + start[b + 1]);
    });
    printf("%u %u %u\n", out[0], out[n / 2], out[n - 1]);
}
