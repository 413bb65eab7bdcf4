// oneTBB's parallel_for_each.h, and a parallel_for_each each of whose items is a piece, and each added one a task.
#ifndef WORKSPAN_OVERLAY_PARALLEL_FOR_EACH_H
#define WORKSPAN_OVERLAY_PARALLEL_FOR_EACH_H
#pragma GCC system_header

#ifdef WORKSPAN_DISABLED
#include_next <oneapi/tbb/parallel_for_each.h>
#else

#include <oneapi/tbb/parallel_for.h>

#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#define feeder workspan_real_feeder
#define parallel_for workspan_real_parallel_for
#define parallel_for_each workspan_real_parallel_for_each
#include_next <oneapi/tbb/parallel_for_each.h>
#undef feeder
#undef parallel_for
#undef parallel_for_each

#include <workspan/tbb/feeding.h>

namespace tbb {
namespace detail {
namespace d1 {

/// What a body adds items to.
template <typename Item>
class feeder {
    using fed_item = workspan_tbb::fed_item<Item>;

    workspan_real_feeder<Item> *plain = nullptr;
    workspan_real_feeder<fed_item> *told = nullptr;
    const workspan_tbb::fed_items *items = nullptr;

    void add_told(std::shared_ptr<Item> item) { told->add(fed_item(std::move(item), items->spawn())); }

public:
    explicit feeder(workspan_real_feeder<Item> &real) : plain(&real) {}
    feeder(workspan_real_feeder<fed_item> &real, const workspan_tbb::fed_items &all) : told(&real), items(&all) {}
    feeder(const feeder &) = delete;
    void operator=(const feeder &) = delete;

    void add(const Item &item) {
        if (plain != nullptr) {
            return plain->add(item);
        }
        add_told(std::make_shared<Item>(item));
    }
    void add(Item &&item) {
        if (plain != nullptr) {
            return plain->add(std::move(item));
        }
        add_told(std::make_shared<Item>(std::move(item)));
    }
};

// What a body takes, if it tells: an item of some type, and a feeder of some items.
template <typename Argument, typename Item>
struct workspan_fed_types {
    using argument = Argument;
    using item = Item;
};
template <typename Body, typename Argument, typename Item>
workspan_fed_types<Argument, Item> workspan_types_of(void (Body::*)(Argument, feeder<Item> &) const);
template <typename Body, typename>
decltype(workspan_types_of(&Body::operator())) workspan_fed(int);
template <typename, typename Value>
workspan_fed_types<void, Value> workspan_fed(...);

/// Gives the program's body a feeder over the real one.
template <typename Body, typename Argument, typename Item>
struct workspan_plain_fed_body {
    const Body *body;
    void operator()(Argument item, workspan_real_feeder<Item> &real) const {
        feeder<Item> ours(real);
        (*body)(std::forward<Argument>(item), ours);
    }
};
template <typename Body, typename Item>
struct workspan_plain_fed_body<Body, void, Item> {
    const Body *body;
    template <typename Argument>
    auto operator()(Argument &&item, workspan_real_feeder<Item> &real) const
        -> decltype((*body)(std::forward<Argument>(item), std::declval<feeder<Item> &>()), void()) {
        feeder<Item> ours(real);
        (*body)(std::forward<Argument>(item), ours);
    }
};

template <typename Body, typename Reference, typename Item>
struct workspan_told_fed_body {
    const Body *body;
    workspan_loop *loop;
    const workspan_tbb::fed_items *items;

    void operator()(workspan_tbb::fed_item<Item> item, workspan_real_feeder<workspan_tbb::fed_item<Item>> &real) const {
        feeder<Item> ours(real, *items);
        item.template run<Reference>(*body, loop, ours);
    }
};

template <typename Iterator, typename Body, typename... Context>
void workspan_each_fed(workspan_tbb::place at, Iterator first, Iterator last, const Body &body, Context &...context) {
    using types = decltype(workspan_fed<Body, typename std::iterator_traits<Iterator>::value_type>(0));
    using item = typename types::item;
    workspan_tbb::fed_items items(at);
    workspan_tbb::loop loop(at, WORKSPAN_LOOP, "parallel_for_each");
    if (!loop) {
        workspan_plain_fed_body<Body, typename types::argument, item> plain{&body};
        return d2::workspan_real_parallel_for_each(first, last, plain, context...);
    }
    using reference = typename std::iterator_traits<Iterator>::reference;
    workspan_told_fed_body<Body, reference, item> told{&body, loop.get(), &items};
    typename std::iterator_traits<Iterator>::iterator_category category;
    d2::workspan_real_parallel_for_each(workspan_tbb::items_from<item>(first, category),
                                        workspan_tbb::items_from<item>(last, category), told, context...);
}

// The body takes an item alone.
template <typename Iterator, typename Body, typename... Context>
auto workspan_each(int, workspan_tbb::place at, Iterator first, Iterator last, const Body &body, Context &...context)
    -> decltype(body(*first), void()) {
    workspan_tbb::loop loop(at, WORKSPAN_LOOP, "parallel_for_each");
    if (!loop) {
        return d2::workspan_real_parallel_for_each(first, last, body, context...);
    }
    d2::workspan_real_parallel_for_each(first, last, workspan_tbb::item_body<Body>{&body, loop.get()}, context...);
}
// It takes a feeder, too.
template <typename Iterator, typename Body, typename... Context>
void workspan_each(long, workspan_tbb::place at, Iterator first, Iterator last, const Body &body, Context &...context) {
    workspan_each_fed(at, first, last, body, context...);
}

template <typename Iterator, typename Body>
void parallel_for_each(Iterator first, Iterator last, const Body &body,
                       workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_each(0, at, first, last, body);
}
template <typename Iterator, typename Body>
void parallel_for_each(Iterator first, Iterator last, const Body &body, task_group_context &context,
                       workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_each(0, at, first, last, body, context);
}
template <typename Range, typename Body, typename = decltype(std::begin(std::declval<Range &>()))>
void parallel_for_each(Range &range, const Body &body, workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_each(0, at, std::begin(range), std::end(range), body);
}
template <typename Range, typename Body, typename = decltype(std::begin(std::declval<const Range &>()))>
void parallel_for_each(const Range &range, const Body &body, workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_each(0, at, std::begin(range), std::end(range), body);
}
template <typename Range, typename Body, typename = decltype(std::begin(std::declval<Range &>()))>
void parallel_for_each(Range &range, const Body &body, task_group_context &context,
                       workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_each(0, at, std::begin(range), std::end(range), body, context);
}
template <typename Range, typename Body, typename = decltype(std::begin(std::declval<const Range &>()))>
void parallel_for_each(const Range &range, const Body &body, task_group_context &context,
                       workspan_tbb::place at = workspan_tbb::place::here()) {
    workspan_each(0, at, std::begin(range), std::end(range), body, context);
}

} // namespace d1
} // namespace detail

inline namespace v1 {
using detail::d1::feeder;
using detail::d1::parallel_for_each;
} // namespace v1
} // namespace tbb

#endif
#endif
