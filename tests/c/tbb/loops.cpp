// parallel_for, parallel_for_each, parallel_invoke, parallel_sort.
#include "known.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <vector>

using range = tbb::blocked_range<int>;

static void simple() {
    std::atomic<int> sum{0};
    tbb::parallel_for(
        range(0, 8, 1),
        [&](const range &part) {
            for (int i = part.begin(); i < part.end(); ++i) {
                spin(5);
                sum += i;
            }
        },
        tbb::simple_partitioner());
    CHECK(sum == 28);
    goal(40, 5);
}

// Two chunks a thread at most would be a span of 20 or less; the last iteration is the longest.
static void uneven() {
    tbb::parallel_for(
        0, 8, [](int i) { spin(i == 7 ? 40 : 5); }, tbb::simple_partitioner());
    goal(75, 40);
}

static void step() {
    std::atomic<int> sum{0};
    tbb::parallel_for(
        10, 20, 3,
        [&](int i) {
            spin(5);
            sum += i;
        },
        tbb::simple_partitioner());
    CHECK(sum == 10 + 13 + 16 + 19);
    goal(20, 5);
}

// How the library cuts depends on the threads; what it cuts is all told.
static void automatic() {
    tbb::parallel_for(0, 16, [](int) { spin(3); });
    goal(48, 48, 3, 48.0 / threads);
}

static void static_and_affinity() {
    tbb::affinity_partitioner affinity;
    tbb::parallel_for(0, 8, [](int) { spin(3); }, tbb::static_partitioner());
    tbb::parallel_for(0, 8, [](int) { spin(3); }, affinity);
    goal(48, 48, 6, 48.0 / threads);
}

static void nested() {
    tbb::parallel_for(
        range(0, 2, 1),
        [](const range &) {
            spin(5);
            tbb::parallel_for(
                range(0, 3, 1), [](const range &) { spin(10); }, tbb::simple_partitioner());
            spin(5);
        },
        tbb::simple_partitioner());
    goal(80, 20);
}

static void in_turn() {
    spin(5);
    for (int round = 0; round < 3; ++round) {
        tbb::parallel_for(
            range(0, 4, 1), [](const range &) { spin(5); }, tbb::simple_partitioner());
    }
    spin(5);
    goal(70, 25);
}

// A range whose split takes time: 8 is split into 4 and 4, these into 2 and 2, ..., at 5 ms each.
struct slow_range {
    int size;
    explicit slow_range(int all) : size(all) {}
    slow_range(slow_range &from, tbb::split) : size(from.size / 2) {
        spin(5);
        from.size -= size;
    }
    bool empty() const { return size == 0; }
    bool is_divisible() const { return size > 1; }
};

static void slow_splits() {
    std::atomic<int> pieces{0};
    tbb::parallel_for(
        slow_range(4),
        [&](const slow_range &) {
            spin(10);
            pieces += 1;
        },
        tbb::simple_partitioner());
    CHECK(pieces == 4);
    goal(4 * 10 + 3 * 5, 2 * 5 + 10);
}

static void each() {
    std::list<int> items{5, 10, 20, 5};
    tbb::parallel_for_each(items, [](int &item) {
        spin(item);
        item = 1;
    });
    CHECK(items.front() == 1);
    goal(40, 20);
}

// Item n adds item n - 1 in its midst: the longest chain goes through the first halves, and one whole last.
static void fed() {
    std::vector<int> items{3};
    std::atomic<int> calls{0};
    tbb::parallel_for_each(items, [&](int n, tbb::feeder<int> &feeder) {
        spin(5);
        if (n > 0) {
            feeder.add(n - 1);
        }
        spin(10);
        calls += 1;
    });
    CHECK(calls == 4);
    goal(60, 30);
}

static void invoke() {
    tbb::parallel_invoke([] { spin(10); }, [] { spin(20); },
                         [] { tbb::parallel_invoke([] { spin(15); }, [] { spin(15); }); });
    goal(60, 20);
}

// All equal but the order of two: one look that finds it, and partitions that halve. Each comparison takes as long.
static void sort() {
    std::vector<int> items(2000);
    for (int i = 0; i < 2000; ++i) {
        items[i] = 1999 - i;
    }
    static std::atomic<long> comparisons{0};
    tbb::parallel_sort(items, [](int left, int right) {
        comparisons += 1;
        spin(0.005);
        return left < right;
    });
    CHECK(std::is_sorted(items.begin(), items.end()));
    // What the first partition takes is on every path; what is sorted after it in two parts, by half at least.
    const double all = comparisons * 0.005;
    goal(all, all * 1.3, 2000 * 0.005, all * (threads == 1 ? 1.2 : 0.95));
}

int main(int count, char **arguments) {
    const test all[] = {{"simple", simple},           {"uneven", uneven}, {"step", step},
                        {"automatic", automatic},     {"static_and_affinity", static_and_affinity},
                        {"nested", nested},           {"in_turn", in_turn}, {"slow_splits", slow_splits},
                        {"each", each},               {"fed", fed},       {"invoke", invoke},
                        {"sort", sort}};
    return run_one(all, count, arguments);
}
