// parallel_reduce, parallel_deterministic_reduce, parallel_scan.
#include "known.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>

#include <vector>

using range = tbb::blocked_range<int>;

// Always joined as a tree: 8 pieces of 5, 7 joins of 3, of which 3 are one after the other.
static void deterministic() {
    const int sum = tbb::parallel_deterministic_reduce(
        range(0, 8, 1), 0,
        [](const range &part, int so_far) {
            spin(5);
            return so_far + part.begin();
        },
        [](int left, int right) {
            spin(3);
            return left + right;
        });
    CHECK(sum == 28);
    goal(8 * 5 + 7 * 3, 5 + 3 * 3);
}

struct summing {
    int sum = 0;
    summing() = default;
    // A split of a body is work, too.
    summing(summing &, tbb::split) { spin(2); }
    void operator()(const range &part) {
        spin(5);
        sum += part.begin();
    }
    void join(summing &right) {
        spin(3);
        sum += right.sum;
    }
};

static void deterministic_body() {
    summing all;
    tbb::parallel_deterministic_reduce(range(0, 4, 1), all, tbb::simple_partitioner());
    CHECK(all.sum == 6);
    goal(4 * 5 + 3 * 3 + 3 * 2, 2 + 5 + 2 * 3);
}

// On one thread no body is split, and nothing joined; on more, as often as parts are stolen.
static void reduce() {
    summing all;
    tbb::parallel_reduce(range(0, 8, 1), all, tbb::simple_partitioner());
    CHECK(all.sum == 28);
    if (threads == 1) {
        goal(40, 5);
    } else {
        goal(40, 40 + 7 * 5, 5, 5 + 2 + 7 * 3);
    }
}

static void reduce_value() {
    const long sum = tbb::parallel_reduce(
        range(0, 8, 1), 0L,
        [](const range &part, long so_far) {
            for (int i = part.begin(); i < part.end(); ++i) {
                spin(5);
                so_far += i;
            }
            return so_far;
        },
        [](long left, long right) { return left + right; });
    CHECK(sum == 28);
    goal(40, 40, 5, 40.0 / threads);
}

// On one thread a scan is a single pass, each part of which needs the one before. On more, parts that were stolen are
// scanned twice.
static void scan() {
    std::vector<int> sums(8);
    const int sum = tbb::parallel_scan(
        range(0, 8, 1), 0,
        [&](const range &part, int so_far, bool is_final) {
            for (int i = part.begin(); i < part.end(); ++i) {
                spin(5);
                so_far += i;
                if (is_final) {
                    sums[i] = so_far;
                }
            }
            return so_far;
        },
        [](int left, int right) { return left + right; });
    CHECK(sum == 28 && sums[7] == 28 && sums[3] == 6);
    if (threads == 1) {
        goal(40, 40);
    } else {
        goal(40, 80, 10, 40);
    }
}

struct scanning {
    int sum = 0;
    std::vector<int> &sums;
    explicit scanning(std::vector<int> &into) : sums(into) {}
    scanning(scanning &from, tbb::split) : sums(from.sums) {}
    template <typename Tag>
    void operator()(const range &part, Tag) {
        for (int i = part.begin(); i < part.end(); ++i) {
            spin(5);
            sum += i;
            if (Tag::is_final_scan()) {
                sums[i] = sum;
            }
        }
    }
    void reverse_join(scanning &left) { sum += left.sum; }
    void assign(scanning &from) { sum = from.sum; }
};

static void scan_body() {
    std::vector<int> sums(8);
    scanning all(sums);
    tbb::parallel_scan(range(0, 8, 1), all, tbb::simple_partitioner());
    CHECK(all.sum == 28 && sums[7] == 28 && sums[3] == 6);
    if (threads == 1) {
        goal(40, 40);
    } else {
        goal(40, 80, 5, 40);
    }
}

int main(int count, char **arguments) {
    const test all[] = {{"deterministic", deterministic}, {"deterministic_body", deterministic_body},
                        {"reduce", reduce},               {"reduce_value", reduce_value},
                        {"scan", scan},                   {"scan_body", scan_body}};
    return run_one(all, count, arguments);
}
