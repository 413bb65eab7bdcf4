// oneTBB's parallel_reduce.h, and reductions that tell of their pieces and joins.
#ifndef WORKSPAN_OVERLAY_PARALLEL_REDUCE_H
#define WORKSPAN_OVERLAY_PARALLEL_REDUCE_H
#pragma GCC system_header

#ifdef WORKSPAN_DISABLED
#include_next <oneapi/tbb/parallel_reduce.h>
#else

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/partitioner.h>

#include <new>
#include <type_traits>
#include <utility>

#define parallel_reduce workspan_real_parallel_reduce
#define parallel_deterministic_reduce workspan_real_parallel_deterministic_reduce
#include_next <oneapi/tbb/parallel_reduce.h>
#undef parallel_reduce
#undef parallel_deterministic_reduce

#include <workspan/tbb/loop_body.h>
#include <workspan/tbb/reduction.h>

// NAME: of a reduction; REAL: the real one. The two differ in nothing else here.
#define WORKSPAN_REDUCTION(NAME, REAL)                                                                                 \
    namespace tbb {                                                                                                    \
    namespace detail {                                                                                                 \
    namespace d1 {                                                                                                     \
    template <typename Range, typename Body, typename... Rest>                                                         \
    void workspan_run_##NAME(workspan_tbb::place at, const Range &range, Body &body, Rest &&...rest) {                 \
        workspan_tbb::loop loop(at, WORKSPAN_LOOP, #NAME);                                                             \
        if (!loop) {                                                                                                   \
            return REAL(range, body, std::forward<Rest>(rest)...);                                                     \
        }                                                                                                              \
        workspan_tbb::reduction_body<Body> told(body, loop.get());                                                     \
        REAL(range, told, std::forward<Rest>(rest)...);                                                                \
    }                                                                                                                  \
    template <typename Range, typename Value, typename Function, typename Join, typename... Rest>                      \
    Value workspan_value_of_##NAME(workspan_tbb::place at, const Range &range, const Value &identity,                  \
                                   const Function &function, const Join &join, Rest &&...rest) {                       \
        workspan_tbb::loop loop(at, WORKSPAN_LOOP, #NAME);                                                             \
        if (!loop) {                                                                                                   \
            return REAL(range, identity, function, join, std::forward<Rest>(rest)...);                                 \
        }                                                                                                              \
        return REAL(range, workspan_tbb::reduced<Value>{identity, workspan_tbb::trail()},                              \
                    workspan_tbb::reducing<Value, Function>{&function, loop.get()},                                    \
                    workspan_tbb::joining<Value, Join>{&join, loop.get()}, std::forward<Rest>(rest)...)                \
            .value;                                                                                                    \
    }                                                                                                                  \
    template <typename Range, typename Body>                                                                           \
    void NAME(const Range &range, Body &body, workspan_tbb::place at = workspan_tbb::place::here()) {                  \
        workspan_run_##NAME(at, range, body);                                                                          \
    }                                                                                                                  \
    template <typename Range, typename Body, typename Partitioner,                                                     \
              typename = workspan_tbb::if_partitioner<Partitioner>>                                                    \
    void NAME(const Range &range, Body &body, Partitioner &&partitioner,                                               \
              workspan_tbb::place at = workspan_tbb::place::here()) {                                                  \
        workspan_run_##NAME(at, range, body, std::forward<Partitioner>(partitioner));                                  \
    }                                                                                                                  \
    template <typename Range, typename Body>                                                                           \
    void NAME(const Range &range, Body &body, task_group_context &context,                                             \
              workspan_tbb::place at = workspan_tbb::place::here()) {                                                  \
        workspan_run_##NAME(at, range, body, context);                                                                 \
    }                                                                                                                  \
    template <typename Range, typename Body, typename Partitioner,                                                     \
              typename = workspan_tbb::if_partitioner<Partitioner>>                                                    \
    void NAME(const Range &range, Body &body, Partitioner &&partitioner, task_group_context &context,                  \
              workspan_tbb::place at = workspan_tbb::place::here()) {                                                  \
        workspan_run_##NAME(at, range, body, std::forward<Partitioner>(partitioner), context);                         \
    }                                                                                                                  \
    template <typename Range, typename Value, typename Function, typename Join>                                        \
    Value NAME(const Range &range, const Value &identity, const Function &function, const Join &join,                  \
               workspan_tbb::place at = workspan_tbb::place::here()) {                                                 \
        return workspan_value_of_##NAME(at, range, identity, function, join);                                          \
    }                                                                                                                  \
    template <typename Range, typename Value, typename Function, typename Join, typename Partitioner,                  \
              typename = workspan_tbb::if_partitioner<Partitioner>>                                                    \
    Value NAME(const Range &range, const Value &identity, const Function &function, const Join &join,                  \
               Partitioner &&partitioner, workspan_tbb::place at = workspan_tbb::place::here()) {                      \
        return workspan_value_of_##NAME(at, range, identity, function, join, std::forward<Partitioner>(partitioner));  \
    }                                                                                                                  \
    template <typename Range, typename Value, typename Function, typename Join>                                        \
    Value NAME(const Range &range, const Value &identity, const Function &function, const Join &join,                  \
               task_group_context &context, workspan_tbb::place at = workspan_tbb::place::here()) {                    \
        return workspan_value_of_##NAME(at, range, identity, function, join, context);                                 \
    }                                                                                                                  \
    template <typename Range, typename Value, typename Function, typename Join, typename Partitioner,                  \
              typename = workspan_tbb::if_partitioner<Partitioner>>                                                    \
    Value NAME(const Range &range, const Value &identity, const Function &function, const Join &join,                  \
               Partitioner &&partitioner, task_group_context &context,                                                 \
               workspan_tbb::place at = workspan_tbb::place::here()) {                                                 \
        return workspan_value_of_##NAME(at, range, identity, function, join, std::forward<Partitioner>(partitioner),   \
                                        context);                                                                      \
    }                                                                                                                  \
    }                                                                                                                  \
    }                                                                                                                  \
    inline namespace v1 {                                                                                              \
    using detail::d1::NAME;                                                                                            \
    }                                                                                                                  \
    }

WORKSPAN_REDUCTION(parallel_reduce, workspan_real_parallel_reduce)
WORKSPAN_REDUCTION(parallel_deterministic_reduce, workspan_real_parallel_deterministic_reduce)
#undef WORKSPAN_REDUCTION

#endif
#endif
