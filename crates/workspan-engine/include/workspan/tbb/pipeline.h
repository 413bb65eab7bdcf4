// The account of a pipeline: what each call of a filter follows.
#ifndef WORKSPAN_TBB_PIPELINE_H
#define WORKSPAN_TBB_PIPELINE_H
#pragma GCC system_header

#include "order.h"

#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

namespace workspan_tbb {

/// One run of a pipeline. Its first filter's call for a new item follows the end of an earlier one if only so many may
/// be under way.
class pipeline_run {
    workspan_loop *const loop;
    const std::size_t most_items;
    std::mutex lock;
    std::size_t begun = 0;
    std::deque<moment> ended;

public:
    pipeline_run(workspan_loop *in, std::size_t most) : loop(in), most_items(most) {}

    workspan_loop *in() const { return loop; }

    /// What the next item must wait for.
    moment before_next() {
        std::lock_guard<std::mutex> guard(lock);
        begun += 1;
        if (begun <= most_items || ended.empty()) {
            return moment();
        }
        moment end = std::move(ended.front());
        ended.pop_front();
        return end;
    }
    void item_ended(moment end) {
        std::lock_guard<std::mutex> guard(lock);
        ended.push_back(std::move(end));
    }
};

/// A filter in a run: if it is serial, each of its calls follows the one before. oneTBB lets one thread at a time in.
class filter_run {
    pipeline_run *const run;
    const bool is_serial;
    const workspan_site *const site;
    moment last;

public:
    filter_run(pipeline_run &in, bool serial, const workspan_site *at) : run(&in), is_serial(serial), site(at) {}

    pipeline_run &in() const { return *run; }

    /// One call, for an item that `before` tells how far it is.
    class call {
        step one;
        std::uint64_t region = 0;
        moment end;

    public:
        call(filter_run &of, const moment &before) : one(of.run->in()) {
            one.after(before);
            if (of.is_serial) {
                one.after(of.last);
            }
            end = one.begin();
            if (of.is_serial) {
                of.last = end;
            }
            region = workspan_region_begin_named(of.site->name, of.site->file, of.site->line);
        }
        call(const call &) = delete;
        call &operator=(const call &) = delete;
        ~call() { workspan_region_end(region); }

        const moment &ends() const { return end; }
    };
};

/// An item between two filters.
template <typename T>
struct passed {
    T value;
    moment before;
};

} // namespace workspan_tbb

#endif
