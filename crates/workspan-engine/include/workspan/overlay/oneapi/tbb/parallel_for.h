// oneTBB's parallel_for.h, and a parallel_for that tells of its pieces: one for each call of the body with a range.
#ifndef WORKSPAN_OVERLAY_PARALLEL_FOR_H
#define WORKSPAN_OVERLAY_PARALLEL_FOR_H
#pragma GCC system_header

#ifdef WORKSPAN_DISABLED
#include_next <oneapi/tbb/parallel_for.h>
#else

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/partitioner.h>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#define parallel_for workspan_real_parallel_for
#include_next <oneapi/tbb/parallel_for.h>
#undef parallel_for

#include <workspan/tbb/loop_body.h>
#include <workspan/tbb/range.h>

namespace tbb {
namespace detail {
namespace d1 {

// `rest` is a partitioner, a context, both or neither.

template <typename Range, typename Body, typename... Rest>
void workspan_for_pieces(std::true_type, workspan_loop *loop, const Range &range, const Body &body, Rest &&...rest) {
    workspan_real_parallel_for(range, workspan_tbb::loop_body<Body>(body, loop), std::forward<Rest>(rest)...);
}

template <typename Range, typename Body, typename... Rest>
void workspan_for_pieces(std::false_type, workspan_loop *loop, const Range &range, const Body &body, Rest &&...rest) {
    workspan_real_parallel_for(workspan_tbb::told_range<Range>(range, loop), workspan_tbb::told_range_body<Body>(body),
                               std::forward<Rest>(rest)...);
}

template <typename Range, typename Body, typename... Rest>
void workspan_for_range(workspan_tbb::place at, const char *name, const Range &range, const Body &body, Rest &&...rest) {
    workspan_tbb::loop loop(at, WORKSPAN_LOOP, name);
    if (!loop) {
        return workspan_real_parallel_for(range, body, std::forward<Rest>(rest)...);
    }
    workspan_for_pieces(typename workspan_tbb::splits_at_once<Range>::type(), loop.get(), range, body,
                        std::forward<Rest>(rest)...);
}

template <typename Index, typename Function, typename... Rest>
void workspan_for_indices(workspan_tbb::place at, Index first, Index last, Index step, const Function &function,
                          Rest &&...rest) {
    // The real one refuses a step that does not lead up.
    if (!workspan_tbb::is_profiled() || !(step > Index(0)) || !(first < last)) {
        return workspan_real_parallel_for(first, last, step, function, std::forward<Rest>(rest)...);
    }
    const Index count = static_cast<Index>((last - first - Index(1)) / step + Index(1));
    workspan_for_range(at, "parallel_for", blocked_range<Index>(Index(0), count),
                       workspan_tbb::index_body<Function, Index>(function, first, step), std::forward<Rest>(rest)...);
}

template <typename Range, typename Body>
void parallel_for(const Range &range, const Body &body, workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_for_range(at, "parallel_for", range, body);
}
template <typename Range, typename Body, typename Partitioner, typename = workspan_tbb::if_partitioner<Partitioner>>
void parallel_for(const Range &range, const Body &body, Partitioner &&partitioner,
                  workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_for_range(at, "parallel_for", range, body, std::forward<Partitioner>(partitioner));
}
template <typename Range, typename Body>
void parallel_for(const Range &range, const Body &body, task_group_context &context,
                  workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_for_range(at, "parallel_for", range, body, context);
}
template <typename Range, typename Body, typename Partitioner, typename = workspan_tbb::if_partitioner<Partitioner>>
void parallel_for(const Range &range, const Body &body, Partitioner &&partitioner, task_group_context &context,
                  workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_for_range(at, "parallel_for", range, body, std::forward<Partitioner>(partitioner), context);
}

template <typename Index, typename Function>
void parallel_for(Index first, Index last, Index step, const Function &function,
                  workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_for_indices(at, first, last, step, function);
}
template <typename Index, typename Function, typename Partitioner, typename = workspan_tbb::if_partitioner<Partitioner>>
void parallel_for(Index first, Index last, Index step, const Function &function, Partitioner &&partitioner,
                  workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_for_indices(at, first, last, step, function, std::forward<Partitioner>(partitioner));
}
template <typename Index, typename Function>
void parallel_for(Index first, Index last, Index step, const Function &function, task_group_context &context,
                  workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_for_indices(at, first, last, step, function, context);
}
template <typename Index, typename Function, typename Partitioner, typename = workspan_tbb::if_partitioner<Partitioner>>
void parallel_for(Index first, Index last, Index step, const Function &function, Partitioner &&partitioner,
                  task_group_context &context, workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_for_indices(at, first, last, step, function, std::forward<Partitioner>(partitioner), context);
}

template <typename Index, typename Function>
void parallel_for(Index first, Index last, const Function &function,
                  workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_for_indices(at, first, last, static_cast<Index>(1), function);
}
template <typename Index, typename Function, typename Partitioner, typename = workspan_tbb::if_partitioner<Partitioner>>
void parallel_for(Index first, Index last, const Function &function, Partitioner &&partitioner,
                  workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_for_indices(at, first, last, static_cast<Index>(1), function, std::forward<Partitioner>(partitioner));
}
template <typename Index, typename Function>
void parallel_for(Index first, Index last, const Function &function, task_group_context &context,
                  workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_for_indices(at, first, last, static_cast<Index>(1), function, context);
}
template <typename Index, typename Function, typename Partitioner, typename = workspan_tbb::if_partitioner<Partitioner>>
void parallel_for(Index first, Index last, const Function &function, Partitioner &&partitioner,
                  task_group_context &context, workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_for_indices(at, first, last, static_cast<Index>(1), function, std::forward<Partitioner>(partitioner),
                         context);
}

} // namespace d1
} // namespace detail

inline namespace v1 {
using detail::d1::parallel_for;
}
} // namespace tbb

#endif
#endif
