// Each form of Cilk's constructs in C++, with the answer that it must give.
#include <cilk/cilk.h>

#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace forms {

static int failures = 0;

static void expect(const char *what, long found, long expected) {
    if (found != expected) {
        std::printf("%s: %ld, not %ld\n", what, found, expected);
        ++failures;
    }
}

static int twice(int x) { return 2 * x; }

static void add(std::vector<int> &to, int x) { to.push_back(x); }

static std::size_t length(const char *text) { return std::string(text).size(); }

template <typename T>
static T sum(T a, T b) {
    return a + b;
}

struct Counter {
    int count = 0;
    Counter &self() { return *this; }
    int step(int by) { return count += by; }
    template <typename T>
    T scaled(T by) const {
        return by * count;
    }
    ~Counter() { cilk_sync; }
};

// Reads a temporary that a computed argument points into.
static long temporaries(const std::string &text) {
    std::size_t found = 0;
    found = cilk_spawn length((text + "-" + text).substr(1).c_str());
    cilk_sync;
    return static_cast<long>(found);
}

static std::unique_ptr<int> boxed(std::unique_ptr<int> box) {
    *box += 1;
    return box;
}

static int moved() {
    auto box = cilk_spawn boxed(std::make_unique<int>(4));
    cilk_sync;
    return *box;
}

static int returned() {
    int local = 1;
    cilk_spawn [&] { local = 5; }();
    return local;
}

static int thrown(int at) {
    try {
        cilk_for (int i = 0; i < 10; ++i) {
            if (i == at)
                throw std::runtime_error("thrown");
        }
        cilk_spawn [] { throw 7; }();
        cilk_sync;
    } catch (const std::runtime_error &) {
        return 1;
    } catch (int number) {
        return number;
    }
    return 0;
}

static int labelled(int n) {
    int result = 0;
again:
    if (n > 2)
        result += cilk_spawn twice(n);
    else if (n == 2)
        cilk_spawn [&] { result += 100; }();
    else
        cilk_sync;
    switch (n) {
    case 4:
        cilk_spawn [&] { result += 1000; }();
        break;
    default:
        cilk_sync;
    }
    if (--n > 0)
        goto again;
    return result;
}

static int loops() {
    std::vector<int> squares(10);
    int total = 0;
#pragma cilk grainsize = 4
    cilk_for (int i = 0; i < 10; ++i)
        squares[i] = i * i;
    cilk_for (auto each = squares.begin(); each != squares.end(); ++each)
        if (*each % 2 == 0)
            *each = 0;
        else
            continue;
    for (int value : squares)
        total += value;
    return total;
}

}  // namespace forms

int main() {
    using namespace forms;
    int x = 0;
    x = cilk_spawn twice(4);
    cilk_sync;
    expect("assigned", x, 8);
    x += cilk_spawn twice(twice(1));
    cilk_sync;
    expect("added", x, 12);
    const int declared = cilk_spawn sum<int>(twice(2), 3);
    auto &&reference = cilk_spawn sum(1, 2);
    cilk_sync;
    expect("declared", declared + reference, 10);

    Counter counter;
    cilk_spawn counter.self().step(twice(1));
    cilk_sync;
    x = cilk_spawn counter.scaled<int>(10);
    cilk_sync;
    expect("members", x, 20);

    std::vector<int> numbers;
    cilk_spawn add(numbers, 5);
    cilk_sync;
    cilk_scope {
        cilk_spawn add(numbers, twice(3));
    }
    expect("references", numbers[0] * 10 + numbers[1], 56);

    std::map<int, int> table;
    int (*pointer)(int) = twice;
    table[3] = cilk_spawn (*pointer)(6);
    cilk_sync;
    expect("elements", table[3], 12);

    const auto recursive = [&](auto self, int n) -> int {
        if (n < 2)
            return n;
        int a = cilk_spawn self(self, n - 1);
        int b = self(self, n - 2);
        cilk_sync;
        return a + b;
    };
    expect("lambda", recursive(recursive, 10), 55);

    cilk_spawn {
        x = 1;
        cilk_spawn [&x] { x = 2; }();
    }
    cilk_sync;
    expect("block", x, 2);

    expect("temporaries", temporaries("a string that is not short"), 52);
    expect("moved", moved(), 5);
    expect("returned", returned(), 5);
    expect("thrown in a loop", thrown(3), 1);
    expect("thrown by a task", thrown(11), 7);
    expect("labelled", labelled(4), 1114);
    expect("loops", loops(), 165);
    if (failures == 0)
        std::puts("forms: all as expected");
    return failures != 0;
}
