// Read mapper: align reads in parallel, encode per thread, append blocks.
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include "vgw_emitter.hpp"

class Emitter {
public:
    void append(const std::string &block, size_t records)
    {
        #pragma omp critical (emitter)
        {
            sink_ += block;
            count_ += records;
        }
    }
    size_t bytes() const { return sink_.size(); }
    size_t count() const { return count_; }
private:
    std::string sink_;
    size_t count_ = 0;
};

// Encodes in the calling thread and hands over whole blocks.
class Stream {
public:
    explicit Stream(Emitter &e) : e_(e) {}
    ~Stream() { flush(); }
    void emit(const Alignment &a)
    {
        buf_ += encode(a);
        if (++n_ == 64)
            flush();
    }
private:
    void flush() { e_.append(buf_, n_); buf_.clear(); n_ = 0; }
    Emitter &e_;
    std::string buf_;
    size_t n_ = 0;
};

static std::string make_seq(uint32_t seed, int n)
{
    std::string s(n, 'A');
    for (auto &c : s) {
        seed = seed * 1664525u + 1013904223u;
        c = "ACGT"[seed >> 30];
    }
    return s;
}

static Alignment align(const std::string &ref, int id)
{
    const int m = 120, band = 220;
    int pos = int((unsigned(id) * 2654435761u) % (ref.size() - band));
    std::string read = ref.substr(pos + 40, m);
    for (int k = 0; k < 5; k++)
        read[(id * 31 + k * 23) % m] = "ACGT"[(id + k) & 3];
    std::vector<int> prev(band + 1, 0), cur(band + 1, 0);
    int best = 0;
    for (int i = 1; i <= m; i++) {
        for (int j = 1; j <= band; j++) {
            int d = prev[j - 1] + (read[i - 1] == ref[pos + j - 1] ? 2 : -3);
            int g = std::max(prev[j], cur[j - 1]) - 4;
            cur[j] = std::max(0, std::max(d, g));
            best = std::max(best, cur[j]);
        }
        std::swap(prev, cur);
    }
    Alignment a;
    a.name = "read" + std::to_string(id);
    a.score = best;
    for (int k = 0; k < 6; k++)
        a.cigar.push_back({"MIDS"[k & 3], (best >> k) % 50 + 1});
    a.seq = read;
    return a;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 9000;
    std::string ref = make_seq(7, 200000);
    Emitter out;
    #pragma omp parallel
    {
        Stream mine(out);
        #pragma omp for schedule(dynamic, 8)
        for (int i = 0; i < n; i++) {
            Alignment a = align(ref, i);
            mine.emit(a);
        }
    }
    printf("%zu records, %zu bytes\n", out.count(), out.bytes());
}
