// oneTBB's task_group.h, and a task_group that tells of its tasks.
#ifndef WORKSPAN_OVERLAY_TASK_GROUP_H
#define WORKSPAN_OVERLAY_TASK_GROUP_H
#pragma GCC system_header

#ifdef WORKSPAN_DISABLED
#include_next <oneapi/tbb/task_group.h>
#else

#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#define task_group workspan_real_task_group
#include_next <oneapi/tbb/task_group.h>
#undef task_group

#include <workspan/tbb/group.h>

namespace tbb {
namespace detail {
namespace d1 {

/// Its account goes after the real group, which awaits tasks that nobody awaited.
class task_group : private workspan_tbb::group, public workspan_real_task_group {
    using real = workspan_real_task_group;

public:
    task_group() = default;
    explicit task_group(task_group_context &context) : real(context) {}
    ~task_group() noexcept(false) { workspan_tbb::group::is_ending(); }

    template <typename F>
    void run(F &&f, workspan_tbb::place at = workspan_tbb::place::here()) {
        if (!is_told()) {
            return real::run(std::forward<F>(f));
        }
        real::run(spawned(std::forward<F>(f), at));
    }
    void run(d2::task_handle &&task) { real::run(std::move(task)); }

    template <typename F>
    d2::task_handle defer(F &&f, workspan_tbb::place at = workspan_tbb::place::here()) {
        if (!is_told()) {
            return real::defer(std::forward<F>(f));
        }
        return real::defer(spawned(std::forward<F>(f), at));
    }

    template <typename F>
    task_group_status run_and_wait(const F &f) {
        if (!is_told()) {
            return real::run_and_wait(f);
        }
        wait_for_all waiting(*this);
        return real::run_and_wait(workspan_tbb::group::before_wait<F>{&f, &waiting});
    }
    task_group_status run_and_wait(d2::task_handle &&task) {
        if (!is_told()) {
            return real::run_and_wait(std::move(task));
        }
        wait_for_all waiting(*this);
        waiting.begin();
        return real::run_and_wait(std::move(task));
    }

    task_group_status wait() {
        if (!is_told()) {
            return real::wait();
        }
        wait_for_all waiting(*this);
        waiting.begin();
        return real::wait();
    }
};

} // namespace d1
} // namespace detail

inline namespace v1 {
using detail::d1::task_group;
}
} // namespace tbb

#endif
#endif
