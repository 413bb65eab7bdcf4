// oneTBB's parallel_pipeline.h, and a parallel_pipeline that tells of each call of a filter.
#ifndef WORKSPAN_OVERLAY_PARALLEL_PIPELINE_H
#define WORKSPAN_OVERLAY_PARALLEL_PIPELINE_H
#pragma GCC system_header

#ifdef WORKSPAN_DISABLED
#include_next <oneapi/tbb/parallel_pipeline.h>
#else

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/tbb_allocator.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <type_traits>
#include <utility>

// The library's own function has the name that is renamed; it goes by the new name here, too.
namespace tbb {
namespace detail {
namespace d1 {
class filter_node;
}
namespace r1 {
inline void workspan_real_parallel_pipeline(d1::task_group_context &, std::size_t, const d1::filter_node &);
}
} // namespace detail
} // namespace tbb

#define filter workspan_real_filter
#define make_filter workspan_real_make_filter
#define parallel_pipeline workspan_real_parallel_pipeline
#include_next <oneapi/tbb/parallel_pipeline.h>
#undef filter
#undef make_filter
#undef parallel_pipeline

#include <workspan/tbb/pipeline.h>

namespace tbb {
namespace detail {
namespace r1 {

TBB_EXPORT void __TBB_EXPORTED_FUNC parallel_pipeline(d1::task_group_context &, std::size_t, const d1::filter_node &);

inline void workspan_real_parallel_pipeline(d1::task_group_context &context, std::size_t most_items,
                                            const d1::filter_node &chain) {
    parallel_pipeline(context, most_items, chain);
}

} // namespace r1

namespace d1 {

/// The filters of one run.
struct workspan_filters {
    workspan_tbb::pipeline_run run;
    std::deque<workspan_tbb::filter_run> all;

    workspan_filters(workspan_loop *loop, std::size_t most_items) : run(loop, most_items) {}
};

template <typename T>
struct workspan_passed {
    using type = workspan_tbb::passed<T>;
};
template <>
struct workspan_passed<void> {
    using type = void;
};

/// Makes the real filters, once for each pipeline: plain ones, or such that tell of their calls.
template <typename Input, typename Output>
class workspan_filter_node {
public:
    using passed_in = typename workspan_passed<Input>::type;
    using passed_out = typename workspan_passed<Output>::type;

    workspan_filter_node() = default;
    workspan_filter_node(const workspan_filter_node &) = delete;
    workspan_filter_node &operator=(const workspan_filter_node &) = delete;
    virtual ~workspan_filter_node() = default;
    virtual workspan_real_filter<Input, Output> plain() const = 0;
    virtual workspan_real_filter<passed_in, passed_out> told(workspan_filters &in) const = 0;
};

// A call of each kind of filter: the first, one between, the last, and one that is both.
template <typename Input, typename Output, typename Body>
struct workspan_filter_call {
    const Body *body;
    workspan_tbb::filter_run *filter;

    workspan_tbb::passed<Output> operator()(workspan_tbb::passed<Input> item) const {
        workspan_tbb::filter_run::call now(*filter, item.before);
        return {(*body)(std::move(item.value)), now.ends()};
    }
};
template <typename Output, typename Body>
struct workspan_filter_call<void, Output, Body> {
    const Body *body;
    workspan_tbb::filter_run *filter;

    workspan_tbb::passed<Output> operator()(flow_control &control) const {
        workspan_tbb::filter_run::call now(*filter, filter->in().before_next());
        return {(*body)(control), now.ends()};
    }
};
template <typename Input, typename Body>
struct workspan_filter_call<Input, void, Body> {
    const Body *body;
    workspan_tbb::filter_run *filter;

    void operator()(workspan_tbb::passed<Input> item) const {
        workspan_tbb::filter_run::call now(*filter, item.before);
        (*body)(std::move(item.value));
        filter->in().item_ended(now.ends());
    }
};
template <typename Body>
struct workspan_filter_call<void, void, Body> {
    const Body *body;
    workspan_tbb::filter_run *filter;

    void operator()(flow_control &control) const {
        workspan_tbb::filter_run::call now(*filter, filter->in().before_next());
        (*body)(control);
        filter->in().item_ended(now.ends());
    }
};

template <typename Input, typename Output, typename Body>
class workspan_one_filter : public workspan_filter_node<Input, Output> {
    using base = workspan_filter_node<Input, Output>;
    const filter_mode mode;
    const Body body;
    const workspan_tbb::place at;

    /// The body is the one that this has, however often filters are made of it.
    template <typename In>
    struct plain_call {
        const Body *body;
        Output operator()(In input) const { return (*body)(std::forward<In>(input)); }
    };
    using argument = typename std::conditional<std::is_void<Input>::value, flow_control &,
                                               typename std::add_rvalue_reference<Input>::type>::type;

public:
    workspan_one_filter(filter_mode how, const Body &of, workspan_tbb::place from) : mode(how), body(of), at(from) {}

    workspan_real_filter<Input, Output> plain() const override {
        return workspan_real_make_filter<Input, Output>(mode, plain_call<argument>{&body});
    }
    workspan_real_filter<typename base::passed_in, typename base::passed_out> told(workspan_filters &in) const override {
        const bool is_serial = mode != filter_mode::parallel;
        in.all.emplace_back(in.run, is_serial,
                            workspan_tbb::sites::of(at, WORKSPAN_SCOPE, is_serial ? "serial filter" : "parallel filter"));
        return workspan_real_make_filter<typename base::passed_in, typename base::passed_out>(
            mode, workspan_filter_call<Input, Output, Body>{&body, &in.all.back()});
    }
};

template <typename Input, typename Between, typename Output>
class workspan_two_filters : public workspan_filter_node<Input, Output> {
    using base = workspan_filter_node<Input, Output>;
    const std::shared_ptr<const workspan_filter_node<Input, Between>> left;
    const std::shared_ptr<const workspan_filter_node<Between, Output>> right;

public:
    workspan_two_filters(std::shared_ptr<const workspan_filter_node<Input, Between>> first,
                         std::shared_ptr<const workspan_filter_node<Between, Output>> second)
        : left(std::move(first)), right(std::move(second)) {}

    workspan_real_filter<Input, Output> plain() const override { return left->plain() & right->plain(); }
    workspan_real_filter<typename base::passed_in, typename base::passed_out> told(workspan_filters &in) const override {
        auto first = left->told(in);
        return first & right->told(in);
    }
};

template <typename InputType, typename OutputType>
class filter {
    std::shared_ptr<const workspan_filter_node<InputType, OutputType>> node;

    explicit filter(std::shared_ptr<const workspan_filter_node<InputType, OutputType>> of) : node(std::move(of)) {}
    template <typename T, typename V, typename U>
    friend filter<T, U> operator&(const filter<T, V> &left, const filter<V, U> &right);
    friend void workspan_pipeline(workspan_tbb::place at, std::size_t most_items, const filter<void, void> &chain,
                                  task_group_context &context);

public:
    filter() = default;
    template <typename Body>
    filter(filter_mode mode, const Body &body, workspan_tbb::place at = workspan_tbb::place::here())
        : node(std::make_shared<workspan_one_filter<InputType, OutputType, Body>>(mode, body, at)) {}

    filter &operator&=(const filter<OutputType, OutputType> &right) {
        *this = *this & right;
        return *this;
    }
    void clear() { node = nullptr; }
};

#if __TBB_CPP17_DEDUCTION_GUIDES_PRESENT
template <typename Body>
filter(filter_mode, Body) -> filter<filter_input<Body>, filter_output<Body>>;
#endif

template <typename InputType, typename OutputType, typename Body>
filter<InputType, OutputType> make_filter(filter_mode mode, const Body &body,
                                          workspan_tbb::place at = workspan_tbb::place::here()) {
    return filter<InputType, OutputType>(mode, body, at);
}
template <typename Body>
filter<filter_input<Body>, filter_output<Body>> make_filter(filter_mode mode, const Body &body,
                                                            workspan_tbb::place at = workspan_tbb::place::here()) {
    return filter<filter_input<Body>, filter_output<Body>>(mode, body, at);
}

template <typename T, typename V, typename U>
filter<T, U> operator&(const filter<T, V> &left, const filter<V, U> &right) {
    return filter<T, U>(std::make_shared<workspan_two_filters<T, V, U>>(left.node, right.node));
}

inline void workspan_pipeline(workspan_tbb::place at, std::size_t most_items, const filter<void, void> &chain,
                              task_group_context &context) {
    workspan_tbb::loop loop(at, WORKSPAN_LOOP, "parallel_pipeline");
    if (!loop) {
        return workspan_real_parallel_pipeline(most_items, chain.node->plain(), context);
    }
    workspan_filters filters(loop.get(), most_items);
    workspan_real_parallel_pipeline(most_items, chain.node->told(filters), context);
}
inline void workspan_pipeline(workspan_tbb::place at, std::size_t most_items, const filter<void, void> &chain) {
    task_group_context context;
    workspan_pipeline(at, most_items, chain, context);
}
template <typename F1, typename F2, typename... Rest>
void workspan_pipeline(workspan_tbb::place at, std::size_t most_items, const F1 &first, const F2 &second,
                       Rest &&...rest) {
    workspan_pipeline(at, most_items, first & second, std::forward<Rest>(rest)...);
}

inline void parallel_pipeline(std::size_t most_items, const filter<void, void> &chain, task_group_context &context,
                              workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_pipeline(at, most_items, chain, context);
}
inline void parallel_pipeline(std::size_t most_items, const filter<void, void> &chain,
                              workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_pipeline(at, most_items, chain);
}
// As of parallel_invoke: a pack leaves no argument to default. Further filters than these have this file's place.
template <typename F1, typename F2>
void parallel_pipeline(std::size_t most_items, const F1 &f1, const F2 &f2,
                       workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_pipeline(at, most_items, f1, f2);
}
template <typename F1, typename F2, typename F3>
void parallel_pipeline(std::size_t most_items, const F1 &f1, const F2 &f2, F3 &&f3,
                       workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_pipeline(at, most_items, f1, f2, std::forward<F3>(f3));
}
template <typename F1, typename F2, typename F3, typename F4>
void parallel_pipeline(std::size_t most_items, const F1 &f1, const F2 &f2, F3 &&f3, F4 &&f4,
                       workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_pipeline(at, most_items, f1, f2, std::forward<F3>(f3), std::forward<F4>(f4));
}
template <typename F1, typename F2, typename F3, typename F4, typename F5>
void parallel_pipeline(std::size_t most_items, const F1 &f1, const F2 &f2, F3 &&f3, F4 &&f4, F5 &&f5,
                       workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_pipeline(at, most_items, f1, f2, std::forward<F3>(f3), std::forward<F4>(f4), std::forward<F5>(f5));
}
template <typename F1, typename F2, typename F3, typename F4, typename F5, typename F6, typename... Rest>
void parallel_pipeline(std::size_t most_items, const F1 &f1, const F2 &f2, F3 &&f3, F4 &&f4, F5 &&f5, F6 &&f6,
                       Rest &&...rest) {
    workspan_pipeline(workspan_tbb::place::here(), most_items, f1, f2, std::forward<F3>(f3), std::forward<F4>(f4),
                      std::forward<F5>(f5), std::forward<F6>(f6), std::forward<Rest>(rest)...);
}

} // namespace d1
} // namespace detail

inline namespace v1 {
using detail::d1::filter;
using detail::d1::make_filter;
using detail::d1::parallel_pipeline;
} // namespace v1
} // namespace tbb

#endif
#endif
