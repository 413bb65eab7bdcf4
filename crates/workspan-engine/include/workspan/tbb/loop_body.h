// Bodies of loops whose calls are pieces.
#ifndef WORKSPAN_TBB_LOOP_BODY_H
#define WORKSPAN_TBB_LOOP_BODY_H
#pragma GCC system_header

#include "loop.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/partitioner.h>

#include <type_traits>

namespace workspan_tbb {

/// A body each of whose calls is a piece. Copied as often as the body would be.
template <typename Body>
class loop_body {
    Body body;
    workspan_loop *loop;

public:
    loop_body(const Body &of, workspan_loop *in) : body(of), loop(in) {}

    template <typename Range>
    void operator()(Range &range) const {
        piece one(loop);
        body(range);
    }
};

/// Calls a function with each of the indices first, first + step, ... that a range counts.
template <typename Function, typename Index>
class index_body {
    const Function *function;
    Index first;
    Index step;

public:
    index_body(const Function &of, Index from, Index by) : function(&of), first(from), step(by) {}

    void operator()(const ::tbb::blocked_range<Index> &range) const {
        const Index end = range.end();
        Index at = static_cast<Index>(first + range.begin() * step);
        for (Index i = range.begin(); i < end; ++i, at = static_cast<Index>(at + step)) {
            (*function)(at);
        }
    }
};

template <typename T>
struct is_partitioner
    : std::integral_constant<bool, std::is_same<typename std::decay<T>::type, ::tbb::simple_partitioner>::value
                                       || std::is_same<typename std::decay<T>::type, ::tbb::auto_partitioner>::value
                                       || std::is_same<typename std::decay<T>::type, ::tbb::static_partitioner>::value
                                       || std::is_same<typename std::decay<T>::type, ::tbb::affinity_partitioner>::value> {};

template <typename T>
using if_partitioner = typename std::enable_if<is_partitioner<T>::value>::type;

} // namespace workspan_tbb

#endif
