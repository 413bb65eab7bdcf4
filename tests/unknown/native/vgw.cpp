// usage: vgw bad|good [READS]
// Read mapper: align reads in parallel, hand every alignment to the emitter,
// which encodes it; or encode per thread, append blocks.
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

struct Alignment {
    std::string name;
    int score = 0;
    std::vector<std::pair<char, int>> cigar;
    std::string seq;
};

// Text form of a record, then a small LZ-like packing with a checksum.
inline std::string encode(const Alignment &a)
{
    std::string text = a.name + '\t' + std::to_string(a.score) + '\t';
    for (auto &c : a.cigar) {
        text += std::to_string(c.second);
        text += c.first;
    }
    text += '\t' + a.seq + '\n';

    std::string out;
    out.reserve(text.size());
    uint32_t crc = ~0u;
    for (unsigned char ch : text) {
        crc ^= ch;
        for (int b = 0; b < 8; b++)
            crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1)));
    }
    for (size_t i = 0; i < text.size();) {
        size_t best = 0, where = 0, from = i > 40 ? i - 40 : 0;
        for (size_t j = from; j < i; j++) {
            size_t l = 0;
            while (i + l < text.size() && l < 30 && text[j + l] == text[i + l])
                l++;
            if (l > best) { best = l; where = i - j; }
        }
        if (best > 3) {
            out += char(128 + best);
            out += char(where);
            i += best;
        } else {
            out += text[i++];
        }
    }
    out.append(reinterpret_cast<const char *>(&crc), 4);
    return out;
}

// Thread-safe, as a library would offer it.
class Emitter {
public:
    void emit(const Alignment &a)
    {
        #pragma omp critical (emitter)  //@ here
        {
            std::string bytes = encode(a);
            sink_ += bytes;
            count_++;
        }
    }
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
    std::string variant = argc > 1 ? argv[1] : "bad";
    int n = argc > 2 ? atoi(argv[2]) : 9000;
    std::string ref = make_seq(7, 200000);
    Emitter out;
    if (variant == "good") {
        #pragma omp parallel
        {
            Stream mine(out);
            #pragma omp for schedule(dynamic, 8)
            for (int i = 0; i < n; i++) {
                Alignment a = align(ref, i);
                mine.emit(a);
            }
        }
    } else {
        #pragma omp parallel for schedule(dynamic, 8)
        for (int i = 0; i < n; i++) {
            Alignment a = align(ref, i);
            out.emit(a);
        }
    }
    printf("%zu records, %zu bytes\n", out.count(), out.bytes());
}
