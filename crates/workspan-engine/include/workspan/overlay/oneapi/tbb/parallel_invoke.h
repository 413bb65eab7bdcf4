// oneTBB's parallel_invoke.h, and a parallel_invoke whose functions are pieces.
#ifndef WORKSPAN_OVERLAY_PARALLEL_INVOKE_H
#define WORKSPAN_OVERLAY_PARALLEL_INVOKE_H
#pragma GCC system_header

#ifdef WORKSPAN_DISABLED
#include_next <oneapi/tbb/parallel_invoke.h>
#else

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <tuple>
#include <utility>

#define parallel_invoke workspan_real_parallel_invoke
#include_next <oneapi/tbb/parallel_invoke.h>
#undef parallel_invoke

#include <workspan/tbb/loop.h>

namespace workspan_tbb {

/// One of the functions, as a piece.
template <typename F>
struct invoked {
    const F *f;
    workspan_loop *loop;

    void operator()() const {
        piece one(loop);
        (*f)();
    }
};

template <typename F>
invoked<F> as_piece(workspan_loop *loop, const F &f) {
    return {&f, loop};
}
inline ::tbb::task_group_context &as_piece(workspan_loop *, ::tbb::task_group_context &context) { return context; }

} // namespace workspan_tbb

namespace tbb {
namespace detail {
namespace d1 {

template <typename... Fs>
void workspan_invoke(workspan_tbb::place at, Fs &&...fs) {
    workspan_tbb::loop loop(at, WORKSPAN_TASK, "parallel_invoke");
    if (!loop) {
        return workspan_real_parallel_invoke(std::forward<Fs>(fs)...);
    }
    workspan_real_parallel_invoke(workspan_tbb::as_piece(loop.get(), fs)...);
}

// A pack takes everything up to the last argument, and leaves none to default: so the place of a call is known of those
// with up to nine arguments. Further ones have this file's.
template <typename F1, typename F2>
void parallel_invoke(F1 &&f1, F2 &&f2, workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_invoke(at, std::forward<F1>(f1), std::forward<F2>(f2));
}
template <typename F1, typename F2, typename F3>
void parallel_invoke(F1 &&f1, F2 &&f2, F3 &&f3, workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_invoke(at, std::forward<F1>(f1), std::forward<F2>(f2), std::forward<F3>(f3));
}
template <typename F1, typename F2, typename F3, typename F4>
void parallel_invoke(F1 &&f1, F2 &&f2, F3 &&f3, F4 &&f4, workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_invoke(at, std::forward<F1>(f1), std::forward<F2>(f2), std::forward<F3>(f3), std::forward<F4>(f4));
}
template <typename F1, typename F2, typename F3, typename F4, typename F5>
void parallel_invoke(F1 &&f1, F2 &&f2, F3 &&f3, F4 &&f4, F5 &&f5,
                     workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_invoke(at, std::forward<F1>(f1), std::forward<F2>(f2), std::forward<F3>(f3), std::forward<F4>(f4),
                    std::forward<F5>(f5));
}
template <typename F1, typename F2, typename F3, typename F4, typename F5, typename F6>
void parallel_invoke(F1 &&f1, F2 &&f2, F3 &&f3, F4 &&f4, F5 &&f5, F6 &&f6,
                     workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_invoke(at, std::forward<F1>(f1), std::forward<F2>(f2), std::forward<F3>(f3), std::forward<F4>(f4),
                    std::forward<F5>(f5), std::forward<F6>(f6));
}
template <typename F1, typename F2, typename F3, typename F4, typename F5, typename F6, typename F7>
void parallel_invoke(F1 &&f1, F2 &&f2, F3 &&f3, F4 &&f4, F5 &&f5, F6 &&f6, F7 &&f7,
                     workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_invoke(at, std::forward<F1>(f1), std::forward<F2>(f2), std::forward<F3>(f3), std::forward<F4>(f4),
                    std::forward<F5>(f5), std::forward<F6>(f6), std::forward<F7>(f7));
}
template <typename F1, typename F2, typename F3, typename F4, typename F5, typename F6, typename F7, typename F8>
void parallel_invoke(F1 &&f1, F2 &&f2, F3 &&f3, F4 &&f4, F5 &&f5, F6 &&f6, F7 &&f7, F8 &&f8,
                     workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_invoke(at, std::forward<F1>(f1), std::forward<F2>(f2), std::forward<F3>(f3), std::forward<F4>(f4),
                    std::forward<F5>(f5), std::forward<F6>(f6), std::forward<F7>(f7), std::forward<F8>(f8));
}
template <typename F1, typename F2, typename F3, typename F4, typename F5, typename F6, typename F7, typename F8,
          typename F9>
void parallel_invoke(F1 &&f1, F2 &&f2, F3 &&f3, F4 &&f4, F5 &&f5, F6 &&f6, F7 &&f7, F8 &&f8, F9 &&f9,
                     workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_invoke(at, std::forward<F1>(f1), std::forward<F2>(f2), std::forward<F3>(f3), std::forward<F4>(f4),
                    std::forward<F5>(f5), std::forward<F6>(f6), std::forward<F7>(f7), std::forward<F8>(f8),
                    std::forward<F9>(f9));
}
template <typename F1, typename F2, typename F3, typename F4, typename F5, typename F6, typename F7, typename F8,
          typename F9, typename F10, typename... Fs>
void parallel_invoke(F1 &&f1, F2 &&f2, F3 &&f3, F4 &&f4, F5 &&f5, F6 &&f6, F7 &&f7, F8 &&f8, F9 &&f9, F10 &&f10,
                     Fs &&...fs) {
    workspan_invoke(workspan_tbb::place::here(), std::forward<F1>(f1), std::forward<F2>(f2), std::forward<F3>(f3),
                    std::forward<F4>(f4), std::forward<F5>(f5), std::forward<F6>(f6), std::forward<F7>(f7),
                    std::forward<F8>(f8), std::forward<F9>(f9), std::forward<F10>(f10), std::forward<Fs>(fs)...);
}

} // namespace d1
} // namespace detail

inline namespace v1 {
using detail::d1::parallel_invoke;
}
} // namespace tbb

#endif
#endif
