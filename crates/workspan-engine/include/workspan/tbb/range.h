// A range whose splits take time, such as the one that a sort splits by partitioning it.
#ifndef WORKSPAN_TBB_RANGE_H
#define WORKSPAN_TBB_RANGE_H
#pragma GCC system_header

#include "order.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/blocked_range3d.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace workspan_tbb {

/// Is a range split by nothing but a little arithmetic, which is not worth a piece?
template <typename Range>
struct splits_at_once : std::false_type {};
template <typename Value>
struct splits_at_once<::tbb::blocked_range<Value>> : std::true_type {};
template <typename Row, typename Column>
struct splits_at_once<::tbb::blocked_range2d<Row, Column>> : std::true_type {};
template <typename Page, typename Row, typename Column>
struct splits_at_once<::tbb::blocked_range3d<Page, Row, Column>> : std::true_type {};

/// A range with the split that made it, which everything on it follows. Splits as the range does.
template <typename Range>
class told_range {
    Range range;
    workspan_loop *loop;
    moment made;

    struct split_first {
        step split;
        moment end;

        explicit split_first(told_range &from) : split(from.loop) { end = split.after(from.made).begin(); }
    };

    template <typename Split>
    told_range(told_range &from, Split &how, split_first &&first)
        : range(from.range, how), loop(from.loop), made(first.end) {
        from.made = first.end;
    }

public:
    told_range(const Range &all, workspan_loop *of) : range(all), loop(of) {}
    told_range(const told_range &) = default;

    template <typename Split,
              typename = typename std::enable_if<std::is_constructible<Range, Range &, Split &>::value
                                                 && !std::is_same<typename std::decay<Split>::type, workspan_loop *>::value>::type>
    told_range(told_range &from, Split &&how) : told_range(from, how, split_first(from)) {}

    bool empty() const { return range.empty(); }
    bool is_divisible() const { return range.is_divisible(); }

    /// Runs `body` on it, as a piece.
    template <typename Body>
    void run(const Body &body) {
        step one(loop);
        one.after(made).begin();
        body(range);
    }
};

/// A loop's body on such ranges.
template <typename Body>
class told_range_body {
    Body body;

public:
    explicit told_range_body(const Body &of) : body(of) {}

    template <typename Range>
    void operator()(told_range<Range> &range) const {
        range.run(body);
    }
    // What a constraint asks for; never called.
    template <typename Range>
    void operator()(const told_range<Range> &range) const {
        told_range<Range> copy(range);
        copy.run(body);
    }
};

} // namespace workspan_tbb

#endif
