// Constructs whose pieces are parallel to one another, and waits.
#ifndef WORKSPAN_TBB_LOOP_H
#define WORKSPAN_TBB_LOOP_H
#pragma GCC system_header

#include "place.h"

namespace workspan_tbb {

/// A construct while it runs: from where the object is made to where it goes, by an exception too.
class loop {
    workspan_loop *const handle;

public:
    loop(place at, int kind, const char *name)
        : handle(is_profiled() ? workspan_loop_begin(sites::of(at, kind, name)) : nullptr) {}
    loop(const loop &) = delete;
    loop &operator=(const loop &) = delete;
    ~loop() {
        if (handle != nullptr) {
            workspan_loop_end(handle);
        }
    }

    explicit operator bool() const { return handle != nullptr; }
    workspan_loop *get() const { return handle; }
};

/// A piece of a loop, while the object lives.
class piece {
    workspan_loop *const of;

public:
    explicit piece(workspan_loop *loop) : of(loop) { workspan_loop_piece_begin(of); }
    piece(const piece &) = delete;
    piece &operator=(const piece &) = delete;
    ~piece() { workspan_loop_piece_end(of); }
};

} // namespace workspan_tbb

#endif
