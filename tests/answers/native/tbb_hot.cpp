// Words are counted in a tbb::concurrent_hash_map; nine in ten words are the same one.
// usage: tbb_hot key|own     own: a map for each thread (fine)
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <tbb/blocked_range.h>
#include <tbb/combinable.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/parallel_for.h>
#include <unordered_map>
#include <vector>

using Counts = tbb::concurrent_hash_map<std::uint32_t, long>;

static std::uint32_t word(std::size_t i) {
    std::uint32_t v = std::uint32_t(i) * 2654435761u;
    return (v >> 28) < 14 ? 0 : v >> 12;
}

int main(int argc, char **argv) {
    if (argc > 1 && !std::strcmp(argv[1], "own")) {
        using Own = std::unordered_map<std::uint32_t, long>;
        tbb::combinable<Own> parts;
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, 300000000), [&](const auto &range) {
            Own &counts = parts.local();
            for (std::size_t i = range.begin(); i != range.end(); ++i)
                counts[word(i)] += 1;
        });
        Own all;
        parts.combine_each([&](const Own &counts) {
            for (auto [word, times] : counts)
                all[word] += times;
        });
        std::printf("%zu\n", all.size());
        return 0;
    }
    Counts counts;
    std::vector<std::uint32_t> words(4000000);
    for (std::size_t i = 0; i < words.size(); i++)
        words[i] = word(i);
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, words.size()), [&](const tbb::blocked_range<std::size_t> &range) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
            Counts::accessor entry;
            counts.insert(entry, words[i]); //@ here
            entry->second += 1;
        }
    });
    std::printf("%zu\n", counts.size());
}
