// oneTBB's parallel_sort.h, and a parallel_sort that tells of its loops: the look whether all is in order, and the sort,
// where a part follows the partition that made it.
#ifndef WORKSPAN_OVERLAY_PARALLEL_SORT_H
#define WORKSPAN_OVERLAY_PARALLEL_SORT_H
#pragma GCC system_header

#ifdef WORKSPAN_DISABLED
#include_next <oneapi/tbb/parallel_sort.h>
#else

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

namespace workspan_tbb {

/// Where the sort was called that the thread runs; the sort itself calls its loops.
inline place &sort_place() {
    static thread_local place at = {"", 0};
    return at;
}

class sorting {
    const place outer;

public:
    explicit sorting(place at) : outer(sort_place()) { sort_place() = at; }
    sorting(const sorting &) = delete;
    sorting &operator=(const sorting &) = delete;
    ~sorting() { sort_place() = outer; }
};

} // namespace workspan_tbb

namespace tbb {
namespace detail {
namespace d1 {

/// What the real sort's own loops call.
template <typename Range, typename Body, typename... Rest>
void workspan_sort_for(const Range &range, const Body &body, Rest &&...rest) {
    workspan_for_range(workspan_tbb::sort_place(), "parallel_sort", range, body, std::forward<Rest>(rest)...);
}

} // namespace d1
} // namespace detail
} // namespace tbb

#define parallel_for workspan_sort_for
#define parallel_sort workspan_real_parallel_sort
#include_next <oneapi/tbb/parallel_sort.h>
#undef parallel_for
#undef parallel_sort

namespace tbb {
namespace detail {
namespace d1 {

template <typename Iterator, typename Compare>
void parallel_sort(Iterator begin, Iterator end, const Compare &compare,
                   workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_tbb::sorting now(at);
    workspan_real_parallel_sort(begin, end, compare);
}
template <typename Iterator,
          typename = typename std::enable_if<std::is_same<decltype(std::declval<Iterator &>() - std::declval<Iterator &>()),
                                                          typename std::iterator_traits<Iterator>::difference_type>::value>::type>
void parallel_sort(Iterator begin, Iterator end, workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_tbb::sorting now(at);
    workspan_real_parallel_sort(begin, end);
}
template <typename Range, typename Compare,
          typename = decltype(std::begin(std::declval<Range &>())),
          typename = typename std::enable_if<!std::is_same<typename std::decay<Range>::type,
                                                           typename std::decay<Compare>::type>::value>::type>
void parallel_sort(Range &&range, const Compare &compare, workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_tbb::sorting now(at);
    workspan_real_parallel_sort(std::begin(range), std::end(range), compare);
}
template <typename Range, typename = decltype(std::begin(std::declval<Range &>()))>
void parallel_sort(Range &&range, workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_tbb::sorting now(at);
    workspan_real_parallel_sort(std::begin(range), std::end(range));
}

} // namespace d1
} // namespace detail

inline namespace v1 {
using detail::d1::parallel_sort;
}
} // namespace tbb

#endif
#endif
