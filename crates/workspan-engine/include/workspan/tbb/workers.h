// The library's own threads, which work for the program in its tasks alone.
#ifndef WORKSPAN_TBB_WORKERS_H
#define WORKSPAN_TBB_WORKERS_H
#pragma GCC system_header

#include "place.h"

#include <oneapi/tbb/task_scheduler_observer.h>

namespace workspan_tbb {

/// Tells of each of oneTBB's threads that it waits, for good: looking for tasks is nobody's work.
class workers : public ::tbb::task_scheduler_observer {
    /// Has the calling thread told, or need it not?
    static bool &is_told() {
        static thread_local bool told = false;
        return told;
    }

    workers() {
        // Whoever comes here is in the midst of the program's work, and hears of its own entry as well.
        is_told() = true;
        observe(true);
    }

    void on_scheduler_entry(bool is_worker) override {
        if (is_worker && !is_told()) {
            is_told() = true;
            workspan_wait_begin();
        }
    }

public:
    /// Never freed: threads may come to it while the program ends.
    static void watch() {
        static workers *const all = new workers;
        static_cast<void>(all);
    }
};

inline bool is_profiled() {
    if (!workspan_active()) {
        return false;
    }
    workers::watch();
    return true;
}

} // namespace workspan_tbb

#endif
