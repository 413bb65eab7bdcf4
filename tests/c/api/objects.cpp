// workspan.hpp: objects that end what they begin, when a function throws, too.
#include "known.h"
#include <workspan.hpp>

#include <cstdio>
#include <mutex>
#include <stdexcept>

int main() {
    {
        workspan::region all("objects");
        workspan::task first(WORKSPAN_SITE(WORKSPAN_TASK, "first"));
        const int result = first.run([] {
            spin(10);
            return 3;
        });
        workspan::task second(WORKSPAN_SITE(WORKSPAN_TASK, "second"));
        bool caught = false;
        try {
            second.run([] {
                spin(20);
                throw std::runtime_error("second");
            });
        } catch (const std::runtime_error &) {
            caught = true;
        }
        workspan::task never_run(WORKSPAN_SITE(WORKSPAN_TASK, "never"));
        { workspan::task gone(std::move(never_run)); }
        spin(5);
        workspan::sync();
        if (result != 3 || !caught) {
            return 1;
        }
    }
    {
        workspan::scope block(WORKSPAN_SITE(WORKSPAN_SCOPE, nullptr));
        workspan::loop loop(WORKSPAN_SITE(WORKSPAN_LOOP, nullptr));
        for (int i = 0; i < 4; ++i) {
            workspan::loop::piece one(loop);
            spin(5);
        }
    }
    std::mutex mutex;
    {
        workspan::lock_guard hold(mutex, WORKSPAN_SITE(WORKSPAN_LOCK, "mutex"));
        spin(5);
    }
    goal(35 + 20 + 5, 20 + 5 + 5);
    std::printf("lock 5 1\n");
    return workspan::is_profiled() && workspan::totals().work < 50'000'000;
}
