// Where a construct's call stands in the source, and the site that the C API wants of it.
#ifndef WORKSPAN_TBB_PLACE_H
#define WORKSPAN_TBB_PLACE_H
#pragma GCC system_header

#include <workspan.h>
#include <workspan/order.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace workspan_tbb {

/// Is a profile taken? Asked at the beginning of every construct.
bool is_profiled();

/// A line of the source. As a function's last, defaulted parameter it is that of the call.
struct place {
    const char *file;
    unsigned line;

    static constexpr place here(const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()) noexcept {
        return place{file, line};
    }
};

/// The sites of the program's constructs: one for each place, kind and name, made when first asked for, never freed.
class sites {
    struct entry {
        const char *file;
        unsigned line;
        int kind;
        const char *name;
        const workspan_site *site;
        entry *next;
    };
    struct table {
        std::atomic<entry *> lists[512];
        std::atomic_flag is_changing;
    };

    /// Zero before the program starts, so that no call waits for its construction.
    static table &all() {
        static table all;
        return all;
    }

    static std::size_t list_of(const char *file, unsigned line, int kind) {
        std::uint64_t key = (reinterpret_cast<std::uintptr_t>(file) + line * 131u + static_cast<unsigned>(kind))
            * UINT64_C(0x9E3779B97F4A7C15);
        return static_cast<std::size_t>(key >> 55);
    }

    static const entry *find(const entry *from, place at, int kind, const char *name) {
        for (; from != nullptr; from = from->next) {
            if (from->file == at.file && from->line == at.line && from->kind == kind && from->name == name) {
                return from;
            }
        }
        return nullptr;
    }

    /// The site of another entry that says the same: each file of a program has its own copy of a header's name.
    static const workspan_site *same(place at, int kind, const char *name) {
        for (auto &list : all().lists) {
            for (const entry *one = list.load(std::memory_order_relaxed); one != nullptr; one = one->next) {
                if (one->line == at.line && one->kind == kind && std::strcmp(one->file, at.file) == 0
                    && std::strcmp(one->name, name) == 0) {
                    return one->site;
                }
            }
        }
        return nullptr;
    }

    static const workspan_site *make(std::atomic<entry *> &list, place at, int kind, const char *name) {
        while (all().is_changing.test_and_set(std::memory_order_acquire)) {
        }
        entry *first = list.load(std::memory_order_relaxed);
        const entry *made = find(first, at, kind, name);
        const workspan_site *site = made != nullptr ? made->site : same(at, kind, name);
        if (site == nullptr) {
            site = new workspan_site{at.file, at.line, 0, name, kind};
        }
        if (made == nullptr) {
            list.store(new entry{at.file, at.line, kind, name, site, first}, std::memory_order_release);
        }
        all().is_changing.clear(std::memory_order_release);
        return site;
    }

public:
    static const workspan_site *of(place at, int kind, const char *name) {
        std::atomic<entry *> &list = all().lists[list_of(at.file, at.line, kind)];
        const entry *found = find(list.load(std::memory_order_acquire), at, kind, name);
        return found != nullptr ? found->site : make(list, at, kind, name);
    }
};

} // namespace workspan_tbb

#endif
