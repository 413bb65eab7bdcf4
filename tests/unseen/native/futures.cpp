// Scores candidates against a target by std::async.
// usage: futures scoped|kept     scoped: each future ends with its turn of the loop, and its end waits; kept: fine
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <future>
#include <string>
#include <vector>

struct Sequence {
    std::string letters;
};

struct Score {
    int best = 0;
    size_t at = 0;
};

static uint64_t next(uint64_t &x) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

static Sequence make_sequence(uint64_t seed, size_t length) {
    uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;
    Sequence made;
    made.letters.reserve(length);
    for (size_t k = 0; k < length; k++)
        made.letters.push_back("ACGT"[next(x) >> 62]);
    return made;
}

// Local alignment with a linear penalty for gaps.
static Score align(const Sequence &target, const Sequence &candidate) {
    const int match = 2, mismatch = -1, gap = -2;
    std::vector<int> row(target.letters.size() + 1);
    Score score;
    for (char letter : candidate.letters) {
        int diagonal = 0;
        for (size_t at = 1; at < row.size(); at++) {
            int value = diagonal + (target.letters[at - 1] == letter ? match : mismatch);
            diagonal = row[at];
            value = std::max({0, value, row[at] + gap, row[at - 1] + gap});
            row[at] = value;
            if (value > score.best)
                score = {value, at};
        }
    }
    return score;
}

static std::vector<Score> score_scoped(const Sequence &target, const std::vector<Sequence> &candidates) {
    std::vector<Score> scores(candidates.size());
    for (size_t k = 0; k < candidates.size(); k++) {
        auto done = std::async(std::launch::async, [&, k] { scores[k] = align(target, candidates[k]); });  //@ here
    }                                                                                                      //@ here
    return scores;
}

static std::vector<Score> score_kept(const Sequence &target, const std::vector<Sequence> &candidates) {
    std::vector<std::future<Score>> futures;
    for (const Sequence &candidate : candidates)
        futures.push_back(std::async(std::launch::async, [&] { return align(target, candidate); }));
    std::vector<Score> scores;
    for (auto &future : futures)
        scores.push_back(future.get());
    return scores;
}

int main(int argc, char **argv) {
    bool kept = argc > 1 && !strcmp(argv[1], "kept");
    Sequence target = make_sequence(1, 6000);
    std::vector<Sequence> candidates;
    for (uint64_t seed = 2; seed < 50; seed++)
        candidates.push_back(make_sequence(seed, 1500 + seed % 7 * 150));
    std::vector<Score> scores = kept ? score_kept(target, candidates) : score_scoped(target, candidates);
    long sum = 0;
    for (const Score &score : scores)
        sum += score.best + long(score.at % 10);
    printf("%ld\n", sum);
}
