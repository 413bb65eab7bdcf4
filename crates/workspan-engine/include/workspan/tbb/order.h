// Pieces of a loop that follow others: the joins of a reduction, the filters of a pipeline, the splits of a range.
#ifndef WORKSPAN_TBB_ORDER_H
#define WORKSPAN_TBB_ORDER_H
#pragma GCC system_header

#include "loop.h"

#include <memory>
#include <utility>

namespace workspan_tbb {

/// The end of a piece, for others to follow; or nothing.
class moment {
    workspan_task *task = nullptr;

public:
    moment() = default;
    explicit moment(workspan_task *of) : task(workspan_task_keep(of)) {}
    moment(const moment &other) : task(other.task == nullptr ? nullptr : workspan_task_keep(other.task)) {}
    moment(moment &&other) noexcept : task(other.task) { other.task = nullptr; }
    moment &operator=(moment other) noexcept {
        std::swap(task, other.task);
        return *this;
    }
    ~moment() {
        if (task != nullptr) {
            workspan_task_forget(task);
        }
    }

    workspan_task *get() const { return task; }
};

/// A piece that may follow others: made, told what it follows, begun, and ended where the object goes.
class step {
    workspan_task *const task;

public:
    explicit step(workspan_loop *loop) : task(workspan_loop_piece(loop)) {}
    step(const step &) = delete;
    step &operator=(const step &) = delete;
    ~step() { workspan_task_end(task); }

    step &after(const moment &before) {
        if (before.get() != nullptr) {
            workspan_task_after(task, before.get());
        }
        return *this;
    }

    /// Begins it. What it gives back is for pieces that begin after its end.
    moment begin() {
        moment end(task);
        workspan_task_begin(task);
        return end;
    }
};

/// Pieces that a later one follows, all of them: those that went into a value. Copies share.
class trail {
    struct link {
        moment end;
        std::shared_ptr<const link> before;
        unsigned length;
    };
    std::shared_ptr<const link> last;

public:
    void follow_in(step &next) const {
        for (const link *one = last.get(); one != nullptr; one = one->before.get()) {
            next.after(one->end);
        }
    }

    void add(workspan_loop *loop, moment end) {
        // Else a value that a thousand pieces went into would hold a thousand.
        constexpr unsigned longest = 16;
        if (last && last->length == longest) {
            step all(loop);
            follow_in(all);
            last = std::make_shared<const link>(link{all.begin(), nullptr, 1});
        }
        const unsigned length = last ? last->length + 1 : 1;
        last = std::make_shared<const link>(link{std::move(end), last, length});
    }

    /// Only `end`.
    void set(moment end) { last = std::make_shared<const link>(link{std::move(end), nullptr, 1}); }
};

} // namespace workspan_tbb

#endif
