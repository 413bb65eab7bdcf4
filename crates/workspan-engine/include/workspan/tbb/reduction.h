// Bodies and values of reductions, with the pieces that went into each: a join follows those of both sides.
#ifndef WORKSPAN_TBB_REDUCTION_H
#define WORKSPAN_TBB_REDUCTION_H
#pragma GCC system_header

#include "order.h"

#include <oneapi/tbb/blocked_range.h>

#include <memory>
#include <new>
#include <utility>

namespace workspan_tbb {

/// A reduction's body. Splits, runs and joins as the program's body does, which the first one refers to.
template <typename Body>
class reduction_body {
    Body *body;
    workspan_loop *loop;
    /// The split that made the body: its pieces follow that, and not one another, whichever body ran them.
    moment made;
    trail pieces;
    bool is_own;
    typename std::aligned_storage<sizeof(Body), alignof(Body)>::type space;

public:
    reduction_body(Body &first, workspan_loop *in) : body(&first), loop(in), is_own(false) {}
    reduction_body(reduction_body &from, ::tbb::split how) : loop(from.loop), is_own(true) {
        step split(loop);
        made = split.begin();
        body = ::new (static_cast<void *>(&space)) Body(*from.body, how);
    }
    reduction_body(const reduction_body &) = delete;
    reduction_body &operator=(const reduction_body &) = delete;
    ~reduction_body() {
        if (is_own) {
            body->~Body();
        }
    }

    template <typename Range>
    void operator()(Range &range) {
        step one(loop);
        moment end = one.after(made).begin();
        (*body)(range);
        pieces.add(loop, std::move(end));
    }

    void join(reduction_body &right) {
        step one(loop);
        pieces.follow_in(one);
        right.pieces.follow_in(one);
        moment end = one.after(made).after(right.made).begin();
        body->join(*right.body);
        pieces.set(std::move(end));
    }
};

/// A reduction's value, where functions take and give values.
template <typename Value>
struct reduced {
    Value value;
    trail pieces;
};

/// Reduces a range into a value.
template <typename Value, typename Function>
struct reducing {
    const Function *function;
    workspan_loop *loop;

    template <typename Range, typename Reduced>
    reduced<Value> operator()(Range &range, Reduced &&so_far) const {
        trail pieces = so_far.pieces;
        step one(loop);
        moment end = one.begin();
        reduced<Value> result{(*function)(range, std::forward<Reduced>(so_far).value), std::move(pieces)};
        result.pieces.add(loop, std::move(end));
        return result;
    }
};

/// Joins two values.
template <typename Value, typename Function>
struct joining {
    const Function *function;
    workspan_loop *loop;

    template <typename Left, typename Right>
    reduced<Value> operator()(Left &&left, Right &&right) const {
        step one(loop);
        left.pieces.follow_in(one);
        right.pieces.follow_in(one);
        moment end = one.begin();
        reduced<Value> result{(*function)(std::forward<Left>(left).value, std::forward<Right>(right).value), trail()};
        result.pieces.set(std::move(end));
        return result;
    }
};

} // namespace workspan_tbb

#endif
