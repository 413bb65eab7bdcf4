// Sorts the readings of some days by a merge sort whose halves run at the same time.
// usage: merge_sort halves|recursive     halves: only once, so two at a time; recursive: down to 20,000 (fine, though
// each merge is serial, the last of them over all readings)
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <oneapi/tbb.h>
#include <vector>

struct Reading {
    uint64_t time;
    uint32_t sensor;
    float value;
};

using Iterator = std::vector<Reading>::iterator;

static bool earlier(const Reading &a, const Reading &b) {
    return a.time != b.time ? a.time < b.time : a.sensor < b.sensor;
}

static const size_t READINGS = 1'500'000, SMALL = 20'000, DAYS = 5;

// As they come in from many sensors, late ones among them.
static void load(std::vector<Reading> &readings, uint32_t day) {
    uint32_t x = day * 7919 + 12345;
    for (size_t k = 0; k < READINGS; k++) {
        x = x * 1664525u + 1013904223u;
        readings[k] = {uint64_t(x) << 8 | (k & 255), uint32_t(k & 1023), float(x >> 20)};
    }
}

// The merged halves go to the scratch space first.
static void merge(Iterator begin, Iterator middle, Iterator end, Iterator scratch) {
    Iterator merged = std::merge(begin, middle, middle, end, scratch, earlier);
    std::copy(scratch, merged, begin);
}

static void sort_halves(Iterator begin, Iterator end, Iterator scratch) {
    Iterator middle = begin + (end - begin) / 2;
    tbb::parallel_invoke([=] { std::stable_sort(begin, middle, earlier); },  //@ here
                         [=] { std::stable_sort(middle, end, earlier); });
    merge(begin, middle, end, scratch);  //@ here
}

static void sort_recursive(Iterator begin, Iterator end, Iterator scratch) {
    if (end - begin <= ptrdiff_t(SMALL)) {
        std::stable_sort(begin, end, earlier);
        return;
    }
    Iterator middle = begin + (end - begin) / 2;
    tbb::parallel_invoke([=] { sort_recursive(begin, middle, scratch); },
                         [=] { sort_recursive(middle, end, scratch + (middle - begin)); });
    merge(begin, middle, end, scratch);
}

int main(int argc, char **argv) {
    bool recursive = argc > 1 && !strcmp(argv[1], "recursive");
    std::vector<Reading> readings(READINGS), scratch(READINGS);
    for (uint32_t day = 0; day < DAYS; day++) {
        load(readings, day);
        if (recursive)
            sort_recursive(readings.begin(), readings.end(), scratch.begin());
        else
            sort_halves(readings.begin(), readings.end(), scratch.begin());
        printf("%u %u\n", readings[0].sensor, readings[READINGS / 2].sensor);
    }
}
