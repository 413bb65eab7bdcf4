// Items of a parallel_for_each whose body may add items.
#ifndef WORKSPAN_TBB_FEEDING_H
#define WORKSPAN_TBB_FEEDING_H
#pragma GCC system_header

#include "detached.h"
#include "loop.h"

#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace workspan_tbb {

/// Calls with an item, each a piece.
template <typename Body>
struct item_body {
    const Body *body;
    workspan_loop *loop;

    template <typename Item>
    auto operator()(Item &&item) const -> decltype((*body)(std::forward<Item>(item)), void()) {
        piece one(loop);
        (*body)(std::forward<Item>(item));
    }
};

/// Items that were added: tasks, which the loop awaits when its pieces have ended.
class fed_items {
    workspan_group *const group;
    const place at;

public:
    explicit fed_items(place from) : group(is_profiled() ? workspan_group_begin() : nullptr), at(from) {}
    fed_items(const fed_items &) = delete;
    fed_items &operator=(const fed_items &) = delete;
    ~fed_items() {
        if (group != nullptr) {
            workspan_group_wait(group);
            workspan_group_end(group);
        }
    }
    workspan_task *spawn() const { return workspan_group_spawn(group, sites::of(at, WORKSPAN_TASK, "feeder")); }
};

/// A task that waits to be run; an empty one if nobody does.
class waiting_task {
    workspan_task *task;

public:
    explicit waiting_task(workspan_task *of) : task(of) {}
    waiting_task(const waiting_task &) = delete;
    waiting_task &operator=(const waiting_task &) = delete;
    ~waiting_task() {
        if (task != nullptr) {
            running empty(take());
        }
    }
    workspan_task *take() {
        workspan_task *taken = task;
        task = nullptr;
        return taken;
    }
};

/// An item of the sequence, referred to, or one that was added, with its task.
template <typename Item>
class fed_item {
    void *there = nullptr;
    std::shared_ptr<Item> own;
    std::shared_ptr<waiting_task> task;

public:
    /// An item of the sequence.
    template <typename Element, typename = typename std::enable_if<!std::is_same<
                                    typename std::decay<Element>::type, fed_item>::value>::type>
    fed_item(Element &element) : there(const_cast<void *>(static_cast<const volatile void *>(std::addressof(element)))) {}
    /// One that nobody holds, as an iterator that computes its items gives.
    template <typename Element, typename = typename std::enable_if<!std::is_lvalue_reference<Element>::value
                                                                   && !std::is_same<Element, fed_item>::value>::type>
    fed_item(Element &&element) : own(std::make_shared<Item>(std::forward<Element>(element))) {}
    /// One that was added.
    fed_item(std::shared_ptr<Item> item, workspan_task *of)
        : own(std::move(item)), task(std::make_shared<waiting_task>(of)) {}
    fed_item(const fed_item &) = default;
    fed_item(fed_item &&) = default;

    /// Calls `body` with it: as a task of its own, or as a piece of the loop.
    template <typename Reference, typename Body, typename Feeder>
    void run(const Body &body, workspan_loop *loop, Feeder &feeder) {
        if (task) {
            running now(task->take());
            call(body, feeder, 0);
        } else if (own) {
            piece one(loop);
            call(body, feeder, 0);
        } else {
            piece one(loop);
            body(static_cast<Reference>(*static_cast<typename std::remove_reference<Reference>::type *>(there)), feeder);
        }
    }

private:
    // An item that nobody else has is moved into the body if that can take it so.
    template <typename Body, typename Feeder>
    auto call(const Body &body, Feeder &feeder, int) -> decltype(body(std::declval<Item>(), feeder), void()) {
        body(std::move(*own), feeder);
    }
    template <typename Body, typename Feeder>
    void call(const Body &body, Feeder &feeder, long) {
        body(*own, feeder);
    }
};

/// An input iterator over items that are copies: what it points to may be gone when its item runs.
template <typename Iterator, typename Item>
class copies {
    Iterator at;

public:
    using iterator_category = std::input_iterator_tag;
    using value_type = fed_item<Item>;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = fed_item<Item>;

    explicit copies(Iterator from) : at(from) {}
    fed_item<Item> operator*() const { return fed_item<Item>(Item(*at)); }
    copies &operator++() {
        ++at;
        return *this;
    }
    copies operator++(int) {
        copies before = *this;
        ++at;
        return before;
    }
    friend bool operator==(const copies &left, const copies &right) { return left.at == right.at; }
    friend bool operator!=(const copies &left, const copies &right) { return !(left == right); }
};

template <typename Item, typename Iterator>
copies<Iterator, Item> items_from(Iterator at, std::input_iterator_tag) {
    return copies<Iterator, Item>(at);
}
template <typename Item, typename Iterator>
Iterator items_from(Iterator at, std::forward_iterator_tag) {
    return at;
}

} // namespace workspan_tbb

#endif
