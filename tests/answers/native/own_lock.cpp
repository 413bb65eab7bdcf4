// Threads walk through a forest; each walk is entered into a table under a lock made of an atomic exchange.
// usage: own_lock each|batch     batch: the sum of a thousand walks is entered at once
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

class Lock {
    std::atomic<bool> taken{false};

public:
    void lock() {
        while (taken.exchange(true, std::memory_order_acquire)) {  //@ here
        }
    }
    void unlock() { taken.store(false, std::memory_order_release); }
};

static Lock lock;
static double table[256];

static uint64_t walk(uint64_t seed) {
    for (int step = 0; step < 120; step++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
    }
    return seed;
}

static void enter(const uint64_t *ends, int count) {
    lock.lock();  //@ here
    for (int i = 0; i < count; i++)
        for (int part = 0; part < 24; part++) table[(ends[i] + part) % 256] += 0.5 + 1e-9 * table[part];
    lock.unlock();
}

int main(int argc, char **argv) {
    bool batch = argc > 1 && !strcmp(argv[1], "batch");
    unsigned threads = std::thread::hardware_concurrency();
    const uint64_t walks = 3000000;
    auto run = [&](uint64_t first, uint64_t last) {
        std::vector<uint64_t> ends;
        for (uint64_t w = first; w < last; w++) {
            ends.push_back(walk(w + 1));
            if (!batch || ends.size() == 1000) {
                if (batch) {
                    uint64_t sum = 0;
                    for (uint64_t end : ends) sum += end;
                    enter(&sum, 1);
                } else {
                    enter(ends.data(), 1);
                }
                ends.clear();
            }
        }
    };
    std::vector<std::thread> all;
    for (unsigned t = 1; t < threads; t++) all.emplace_back(run, walks * t / threads, walks * (t + 1) / threads);
    run(0, walks / threads);
    for (std::thread &thread : all) thread.join();
    double sum = 0;
    for (double part : table) sum += part;
    printf("%.1f\n", sum);
}
