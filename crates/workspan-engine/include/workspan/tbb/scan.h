// Bodies and values of scans: all that is done to one follows what was done to it before, and what comes in follows too.
#ifndef WORKSPAN_TBB_SCAN_H
#define WORKSPAN_TBB_SCAN_H
#pragma GCC system_header

#include "order.h"

#include <oneapi/tbb/blocked_range.h>

#include <new>
#include <type_traits>
#include <utility>

namespace workspan_tbb {

template <typename Body>
class scan_body {
    Body *body;
    workspan_loop *loop;
    moment last;
    bool is_own;
    typename std::aligned_storage<sizeof(Body), alignof(Body)>::type space;

public:
    scan_body(Body &first, workspan_loop *in) : body(&first), loop(in), is_own(false) {}
    scan_body(scan_body &from, ::tbb::split how) : loop(from.loop), is_own(true) {
        step split(loop);
        last = split.begin();
        body = ::new (static_cast<void *>(&space)) Body(*from.body, how);
    }
    scan_body(const scan_body &) = delete;
    scan_body &operator=(const scan_body &) = delete;
    ~scan_body() {
        if (is_own) {
            body->~Body();
        }
    }

    template <typename Range, typename Tag>
    void operator()(Range &range, Tag tag) {
        step one(loop);
        last = one.after(last).begin();
        (*body)(range, tag);
    }
    void reverse_join(scan_body &left) {
        step one(loop);
        last = one.after(last).after(left.last).begin();
        body->reverse_join(*left.body);
    }
    void assign(scan_body &from) {
        step one(loop);
        last = one.after(last).after(from.last).begin();
        body->assign(*from.body);
    }
};

template <typename Value>
struct scanned {
    Value value;
    moment last;
};

template <typename Value, typename Function>
struct scanning {
    const Function *function;
    workspan_loop *loop;

    template <typename Range, typename Scanned, typename IsFinal>
    scanned<Value> operator()(Range &range, Scanned &&so_far, IsFinal is_final) const {
        step one(loop);
        moment end = one.after(so_far.last).begin();
        return {(*function)(range, std::forward<Scanned>(so_far).value, is_final), std::move(end)};
    }
};

template <typename Value, typename Function>
struct scan_joining {
    const Function *function;
    workspan_loop *loop;

    template <typename Left, typename Right>
    scanned<Value> operator()(Left &&left, Right &&right) const {
        step one(loop);
        moment end = one.after(left.last).after(right.last).begin();
        return {(*function)(std::forward<Left>(left).value, std::forward<Right>(right).value), std::move(end)};
    }
};

} // namespace workspan_tbb

#endif
