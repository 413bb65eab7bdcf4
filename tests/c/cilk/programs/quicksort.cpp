// Quicksort of the papers: the partition is serial, so that the parallelism is about log n.
#include <cilk/cilk.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace sorting {

template <typename Iterator>
void quicksort(Iterator begin, Iterator end) {
    if (begin == end)
        return;
    --end;
    Iterator middle = std::partition(
        begin, end, std::bind(std::less<typename Iterator::value_type>(), std::placeholders::_1, *end));
    std::swap(*end, *middle);
    cilk_spawn quicksort(begin, middle);
    quicksort(++middle, ++end);
    cilk_sync;
}

}  // namespace sorting

int main(int argc, char **argv) {
    const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20'000;
    std::vector<std::uint32_t> values(count);
    std::uint32_t state = 1;
    std::uint64_t before = 0, after = 0;
    for (auto &value : values) {
        state = state * 1664525u + 1013904223u;
        value = state >> 8;
        before += value;
    }
    sorting::quicksort(values.begin(), values.end());
    for (auto value : values)
        after += value;
    const bool is_sorted = std::is_sorted(values.begin(), values.end()) && before == after;
    std::printf("quicksort of %zu: %s\n", count, is_sorted ? "sorted" : "WRONG");
    return is_sorted ? 0 : 1;
}
