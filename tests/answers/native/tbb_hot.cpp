// Words are counted in a tbb::concurrent_hash_map; nine in ten words are the same one.
#include <cstdint>
#include <cstdio>
#include <tbb/blocked_range.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/parallel_for.h>
#include <vector>

using Counts = tbb::concurrent_hash_map<std::uint32_t, long>;

int main() {
    std::vector<std::uint32_t> words(4000000);
    for (std::size_t i = 0; i < words.size(); i++) {
        std::uint32_t v = std::uint32_t(i) * 2654435761u;
        words[i] = (v >> 28) < 14 ? 0 : v >> 12;
    }
    Counts counts;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, words.size()), [&](const tbb::blocked_range<std::size_t> &range) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
            Counts::accessor entry;
            counts.insert(entry, words[i]); //@ here
            entry->second += 1;
        }
    });
    std::printf("%zu\n", counts.size());
}
