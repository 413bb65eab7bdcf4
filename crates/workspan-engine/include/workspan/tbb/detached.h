// Functors as tasks, those that no construct awaits, and calls that may run on another thread.
#ifndef WORKSPAN_TBB_DETACHED_H
#define WORKSPAN_TBB_DETACHED_H
#pragma GCC system_header

#include "place.h"

#include <type_traits>
#include <utility>

namespace workspan_tbb {

/// Runs a task while the object lives.
class running {
    workspan_task *const task;

public:
    explicit running(workspan_task *of) : task(of) { workspan_task_begin(task); }
    running(const running &) = delete;
    running &operator=(const running &) = delete;
    ~running() { workspan_task_end(task); }
};

/// A functor that runs as a task. One that oneTBB drops, since its group was cancelled, is an empty task.
template <typename F>
class task_functor {
    mutable workspan_task *task;
    F f;

    workspan_task *take() const {
        workspan_task *taken = task;
        task = nullptr;
        return taken;
    }

public:
    template <typename G>
    task_functor(workspan_task *of, G &&g) : task(of), f(std::forward<G>(g)) {}
    task_functor(task_functor &&other) : task(other.take()), f(std::move(other.f)) {}
    task_functor(const task_functor &) = delete;
    ~task_functor() {
        if (task != nullptr) {
            running empty(take());
        }
    }

    auto operator()() const -> decltype(f()) {
        running now(take());
        return f();
    }
};

/// `f` as a task that is awaited at the end of the program alone.
template <typename F>
task_functor<typename std::decay<F>::type> detached(F &&f, place at) {
    workspan_group *nobody = workspan_group_begin();
    workspan_task *task = workspan_group_spawn(nobody, sites::of(at, WORKSPAN_TASK, "enqueue"));
    workspan_group_end(nobody);
    return {task, std::forward<F>(f)};
}

/// A call that another thread may run, if an arena has no place for the calling one, which then waits.
class serial_call {
    workspan_task *const task;

public:
    explicit serial_call(place at)
        : task(is_profiled() ? workspan_call_begin(sites::of(at, WORKSPAN_TASK, "execute")) : nullptr) {}
    serial_call(const serial_call &) = delete;
    serial_call &operator=(const serial_call &) = delete;
    ~serial_call() {
        if (task != nullptr) {
            workspan_call_end(task);
        }
    }
    workspan_task *get() const { return task; }
};

} // namespace workspan_tbb

#endif
