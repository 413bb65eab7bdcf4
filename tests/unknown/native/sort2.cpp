// usage: sort2 bad|good [NUMBERS]
// Sort a large column: split once around a pivot, sort the two parts at once;
// or bucket by splitters, all phases by all threads.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

static uint32_t mix(uint32_t h)
{
    h ^= h >> 16; h *= 0x7feb352du;
    h ^= h >> 15; h *= 0x846ca68bu;
    return h ^ (h >> 16);
}

static void print(const uint32_t *v, size_t n) { printf("%u %u %u\n", v[0], v[n / 2], v[n - 1]); }

static void split(size_t n, unsigned nt)
{
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
    print(v.data(), n);
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

static void bucket(size_t n, unsigned nt)
{
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
    print(out.get(), n);
}

int main(int argc, char **argv)
{
    std::string variant = argc > 1 ? argv[1] : "bad";
    size_t n = argc > 2 ? atol(argv[2]) : 8000000;
    const char *e = getenv("NTHREADS");
    unsigned nt = e ? atoi(e) : std::thread::hardware_concurrency();
    (variant == "good" ? bucket : split)(n, nt);
}
