// oneTBB's task_arena.h, and a task_arena whose calls are told wherever they run, and whose tasks are.
#ifndef WORKSPAN_OVERLAY_TASK_ARENA_H
#define WORKSPAN_OVERLAY_TASK_ARENA_H
#pragma GCC system_header

#ifdef WORKSPAN_DISABLED
#include_next <oneapi/tbb/task_arena.h>
#else

#include <workspan.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <type_traits>
#include <utility>

#define task_arena workspan_real_task_arena
#define this_task_arena workspan_real_this_task_arena
#include_next <oneapi/tbb/task_arena.h>
#undef task_arena
#undef this_task_arena

#include <workspan/tbb/detached.h>

namespace tbb {
namespace detail {
namespace d1 {

class task_arena : public workspan_real_task_arena {
public:
    using workspan_real_task_arena::workspan_real_task_arena;
    task_arena() = default;
    task_arena(const task_arena &) = default;

    template <typename F>
    auto execute(F &&f, workspan_tbb::place at = workspan_tbb::place::here()) -> decltype(f()) {
        workspan_tbb::serial_call call(at);
        if (call.get() == nullptr) {
            return workspan_real_task_arena::execute(std::forward<F>(f));
        }
        auto told = [&]() -> decltype(f()) {
            workspan_tbb::running now(call.get());
            return f();
        };
        return workspan_real_task_arena::execute(told);
    }

    template <typename F>
    void enqueue(F &&f, workspan_tbb::place at = workspan_tbb::place::here()) {
        if (!workspan_tbb::is_profiled()) {
            return workspan_real_task_arena::enqueue(std::forward<F>(f));
        }
        workspan_real_task_arena::enqueue(workspan_tbb::detached(std::forward<F>(f), at));
    }
    void enqueue(d2::task_handle &&task) { workspan_real_task_arena::enqueue(std::move(task)); }
};

template <typename F>
void workspan_enqueue(F &&f, workspan_tbb::place at = workspan_tbb::place::here()) {
    if (!workspan_tbb::is_profiled()) {
        return enqueue(std::forward<F>(f));
    }
    enqueue(workspan_tbb::detached(std::forward<F>(f), at));
}

} // namespace d1
} // namespace detail

inline namespace v1 {
using detail::d1::task_arena;

namespace this_task_arena {
using workspan_real_this_task_arena::current_thread_index;
using workspan_real_this_task_arena::isolate;
using workspan_real_this_task_arena::max_concurrency;

template <typename F>
void enqueue(F &&f, workspan_tbb::place at = workspan_tbb::place::here()) {
    detail::d1::workspan_enqueue(std::forward<F>(f), at);
}
inline void enqueue(detail::d2::task_handle &&task) { detail::d1::enqueue(std::move(task)); }
} // namespace this_task_arena
} // namespace v1
} // namespace tbb

// Which is over this very header.
#include <workspan/tbb/workers.h>

#endif
#endif
