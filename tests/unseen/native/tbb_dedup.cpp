// Finds documents that occur more than once, by a fingerprint of their words. The map is shared, but an insertion is
// short beside the fingerprint, and hardly two threads want the same entry: sound.
// usage: tbb_dedup shared|own     own: a map for each thread, added up at the end (as sound)
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <oneapi/tbb.h>
#include <string>
#include <unordered_map>

static const size_t DOCUMENTS = 150'000, DISTINCT = 90'000, WORDS = 60;

static uint64_t mix(uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

// Stands for fetching a document.
static std::string fetch(size_t number) {
    uint64_t x = mix(number % DISTINCT + 1);
    std::string text;
    text.reserve(WORDS * 8);
    for (size_t word = 0; word < WORDS; word++) {
        x = mix(x + word);
        for (uint64_t letters = x; letters & 0xff; letters >>= 12)
            text.push_back('a' + letters % 26);
        text.push_back(' ');
    }
    return text;
}

// The least hashes of all runs of five letters, by eight functions.
static uint64_t fingerprint(const std::string &text) {
    uint64_t least[8];
    std::fill(least, least + 8, ~uint64_t(0));
    for (size_t at = 0; at + 5 <= text.size(); at++) {
        uint64_t run = 0;
        memcpy(&run, text.data() + at, 5);
        uint64_t hash = mix(run);
        for (uint64_t k = 0; k < 8; k++) {
            uint64_t other = hash * (2 * k + 1) ^ hash >> (k + 3);
            least[k] = std::min(least[k], other);
        }
    }
    uint64_t all = 0;
    for (uint64_t hash : least)
        all = mix(all ^ hash);
    return all;
}

using Shared = tbb::concurrent_hash_map<uint64_t, int>;
using Own = std::unordered_map<uint64_t, int>;
using Range = tbb::blocked_range<size_t>;

static size_t count_shared() {
    Shared seen;
    tbb::parallel_for(Range(0, DOCUMENTS), [&](const Range &part) {
        for (size_t number = part.begin(); number != part.end(); number++) {
            uint64_t key = fingerprint(fetch(number));
            Shared::accessor entry;
            seen.insert(entry, key);
            entry->second++;
        }
    });
    return std::count_if(seen.begin(), seen.end(), [](const auto &entry) { return entry.second > 1; });
}

static size_t count_own() {
    tbb::enumerable_thread_specific<Own> maps;
    tbb::parallel_for(Range(0, DOCUMENTS), [&](const Range &part) {
        Own &seen = maps.local();
        for (size_t number = part.begin(); number != part.end(); number++)
            seen[fingerprint(fetch(number))]++;
    });
    Own all;
    for (const Own &map : maps)
        for (const auto &[key, count] : map)
            all[key] += count;
    return std::count_if(all.begin(), all.end(), [](const auto &entry) { return entry.second > 1; });
}

int main(int argc, char **argv) {
    bool own = argc > 1 && !strcmp(argv[1], "own");
    printf("%zu occur more than once\n", own ? count_own() : count_shared());
}
