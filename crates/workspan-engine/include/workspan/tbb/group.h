// The account of a task group: its tasks, and the waits for them.
#ifndef WORKSPAN_TBB_GROUP_H
#define WORKSPAN_TBB_GROUP_H
#pragma GCC system_header

#include "detached.h"

#include <atomic>
#include <type_traits>
#include <utility>

namespace workspan_tbb {

class group {
    workspan_group *const handle;
    /// Has anything been spawned since the last wait? Relaxed: who runs tasks of a group while another ends it is wrong
    /// already.
    std::atomic<bool> has_tasks{false};
    bool is_waiting = false;

protected:
    group() : handle(is_profiled() ? workspan_group_begin() : nullptr) {}
    group(const group &) = delete;
    group &operator=(const group &) = delete;
    ~group() {
        if (handle == nullptr) {
            return;
        }
        if (is_waiting) {
            workspan_wait_end();
            workspan_group_wait(handle);
        }
        workspan_group_end(handle);
    }

    bool is_told() const { return handle != nullptr; }

    template <typename F>
    task_functor<typename std::decay<F>::type> spawned(F &&f, place at) {
        has_tasks.store(true, std::memory_order_relaxed);
        return {workspan_group_spawn(handle, sites::of(at, WORKSPAN_TASK, "task_group")), std::forward<F>(f)};
    }

    /// The real group is about to go, and awaits what is left.
    void is_ending() {
        if (handle != nullptr && has_tasks.load(std::memory_order_relaxed)) {
            is_waiting = true;
            workspan_wait_begin();
        }
    }

    /// A wait for all tasks so far: ends where the object goes, by an exception of theirs too.
    class wait_for_all {
        group &all;
        bool is_begun = false;

    public:
        explicit wait_for_all(group &of) : all(of) {}
        wait_for_all(const wait_for_all &) = delete;
        wait_for_all &operator=(const wait_for_all &) = delete;
        ~wait_for_all() {
            if (is_begun) {
                workspan_wait_end();
            }
            all.has_tasks.store(false, std::memory_order_relaxed);
            workspan_group_wait(all.handle);
        }
        void begin() {
            is_begun = true;
            workspan_wait_begin();
        }
    };

    /// A functor that the calling thread runs in place before it waits.
    template <typename F>
    struct before_wait {
        const F *f;
        wait_for_all *waiting;

        struct then_wait {
            wait_for_all *waiting;
            ~then_wait() { waiting->begin(); }
        };
        auto operator()() const -> decltype((*f)()) {
            then_wait after{waiting};
            return (*f)();
        }
    };
};

} // namespace workspan_tbb

#endif
