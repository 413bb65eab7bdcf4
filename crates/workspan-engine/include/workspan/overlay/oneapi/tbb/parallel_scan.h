// oneTBB's parallel_scan.h, and a parallel_scan that tells of what is done to its bodies, in one pass or in two.
#ifndef WORKSPAN_OVERLAY_PARALLEL_SCAN_H
#define WORKSPAN_OVERLAY_PARALLEL_SCAN_H
#pragma GCC system_header

#ifdef WORKSPAN_DISABLED
#include_next <oneapi/tbb/parallel_scan.h>
#else

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/partitioner.h>

#include <functional>
#include <type_traits>
#include <utility>

#define parallel_scan workspan_real_parallel_scan
#include_next <oneapi/tbb/parallel_scan.h>
#undef parallel_scan

#include <workspan/tbb/loop_body.h>
#include <workspan/tbb/scan.h>

namespace tbb {
namespace detail {
namespace d1 {

template <typename Range, typename Body, typename... Rest>
void workspan_scan(workspan_tbb::place at, const Range &range, Body &body, Rest &&...rest) {
    workspan_tbb::loop loop(at, WORKSPAN_LOOP, "parallel_scan");
    if (!loop) {
        return workspan_real_parallel_scan(range, body, std::forward<Rest>(rest)...);
    }
    workspan_tbb::scan_body<Body> told(body, loop.get());
    workspan_real_parallel_scan(range, told, std::forward<Rest>(rest)...);
}

template <typename Range, typename Value, typename Scan, typename Join, typename... Rest>
Value workspan_scan_value(workspan_tbb::place at, const Range &range, const Value &identity, const Scan &scan,
                          const Join &join, Rest &&...rest) {
    workspan_tbb::loop loop(at, WORKSPAN_LOOP, "parallel_scan");
    if (!loop) {
        return workspan_real_parallel_scan(range, identity, scan, join, std::forward<Rest>(rest)...);
    }
    return workspan_real_parallel_scan(range, workspan_tbb::scanned<Value>{identity, workspan_tbb::moment()},
                                       workspan_tbb::scanning<Value, Scan>{&scan, loop.get()},
                                       workspan_tbb::scan_joining<Value, Join>{&join, loop.get()},
                                       std::forward<Rest>(rest)...)
        .value;
}

template <typename Range, typename Body>
void parallel_scan(const Range &range, Body &body, workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_scan(at, range, body);
}
template <typename Range, typename Body, typename Partitioner, typename = workspan_tbb::if_partitioner<Partitioner>>
void parallel_scan(const Range &range, Body &body, Partitioner &&partitioner,
                   workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_scan(at, range, body, std::forward<Partitioner>(partitioner));
}
template <typename Range, typename Value, typename Scan, typename Join>
Value parallel_scan(const Range &range, const Value &identity, const Scan &scan, const Join &join,
                    workspan_tbb::place at = workspan_tbb::place::here()) {
    return workspan_scan_value(at, range, identity, scan, join);
}
template <typename Range, typename Value, typename Scan, typename Join, typename Partitioner,
          typename = workspan_tbb::if_partitioner<Partitioner>>
Value parallel_scan(const Range &range, const Value &identity, const Scan &scan, const Join &join,
                    Partitioner &&partitioner, workspan_tbb::place at = workspan_tbb::place::here()) {
    return workspan_scan_value(at, range, identity, scan, join, std::forward<Partitioner>(partitioner));
}

} // namespace d1
} // namespace detail

inline namespace v1 {
using detail::d1::parallel_scan;
}
} // namespace tbb

#endif
#endif
