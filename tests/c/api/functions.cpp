// Functions that tell of their calls, in C++: exceptions that pass some, members, lambdas, templates. The lines are those of
// functions.c.
#include <ctime>
static double milliseconds_run() __attribute__((no_instrument_function));
static void spin(double milliseconds) __attribute__((no_instrument_function));
static void goal(double work, double span) __attribute__((no_instrument_function));
#include "known.h"
#include <workspan.hpp>

#include <stdexcept>

#define APART __attribute__((noinline))

static volatile bool throws = true;

struct shape {
    virtual ~shape() = default;
    virtual void draw(int deep) = 0;
};

struct circle final : shape {
    APART void draw(int deep) override {
        if (deep > 0) {
            draw(deep - 1);
        } else if (throws) {
            throw std::runtime_error("deep");
        }
        spin(0);
    }
};

APART static void after_catch() { spin(10); }

APART static void catches(shape &shape) {
    try {
        shape.draw(3);
    } catch (const std::runtime_error &) {
    }
    after_catch();
    spin(0);
}

template <int Milliseconds>
APART void spins() {
    spin(Milliseconds);
}

int main() {
    circle round;
    for (int i = 0; i < 2; ++i) {
        catches(round);
    }
    workspan::task task(WORKSPAN_SITE(WORKSPAN_TASK, "task"));
    task.run([] { spins<20>(); });
    spins<10>();
    workspan::sync();
    std::printf("calls draw 8\ncalls catches 2\ncalls after_catch 2\ncalls spins 2\ncalls main 1\n");
    std::printf("most draw 2\nleast catches 19\nleast spins 19\n");
    goal(20 + 20 + 10, 20 + 20);
    return 0;
}
