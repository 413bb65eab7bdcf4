//! The clock that only the program moves.

use workspan_rt::clock;

/// Moves the calling thread's virtual clock forward by so many nanoseconds. Of no effect by another clock than
/// `WORKSPAN_CLOCK=virtual`.
#[no_mangle]
pub extern "C" fn workspan_clock_advance(nanoseconds: i64) {
    clock::advance(nanoseconds);
}
