//! A clock for the emulated program that nearly stands still, if it is asked for: what the program prints of times, and so how many
//! instructions that takes, is then the same in each run.
//!
//! It goes on by a microsecond at each reading, so that loops which wait for a time end, and by what threads ask to sleep.

use crate::memory;
use std::cell::Cell;
use std::ffi::{c_char, c_int, CStr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// System calls on x86-64.
mod number {
    pub(super) const NANOSLEEP: i64 = 35;
    pub(super) const GETTIMEOFDAY: i64 = 96;
    pub(super) const CLOCK_GETTIME: i64 = 228;
    pub(super) const CLOCK_NANOSLEEP: i64 = 230;
}

/// What the plug-in is told to have this clock, as QEMU passes it.
const ARGUMENT: &[u8] = b"still=on";

/// Nanoseconds that a reading takes.
const READING: u64 = 1_000;
const A_SECOND: u64 = 1_000_000_000;

static IS_STILL: AtomicBool = AtomicBool::new(false);
/// Nanoseconds: it begins with a million seconds.
static NOW: AtomicU64 = AtomicU64::new(1_000_000 * A_SECOND);

thread_local! {
    /// Where the call that the thread is in reads or writes a time.
    static TIME: Cell<u64> = const { Cell::new(0) };
}

/// Looks whether the clock is asked for.
///
/// # Safety
/// `arguments` are as many texts as `count` says.
pub(crate) unsafe fn choose(count: c_int, arguments: *const *const c_char) {
    let is_asked = (0..usize::try_from(count).unwrap_or(0)).any(|index| {
        // SAFETY: the caller's promise.
        let argument = unsafe { CStr::from_ptr(*arguments.add(index)) };
        argument.to_bytes() == ARGUMENT
    });
    IS_STILL.store(is_asked, Ordering::Relaxed);
}

/// A thread calls the kernel.
pub(crate) fn remember(number: i64, arguments: [u64; 3]) {
    TIME.set(match number {
        number::NANOSLEEP | number::GETTIMEOFDAY => arguments[0],
        number::CLOCK_GETTIME => arguments[1],
        // Until a time, or for one.
        number::CLOCK_NANOSLEEP if arguments[1] == 0 => arguments[2],
        _ => return,
    });
}

/// The kernel has done what it was called for.
pub(crate) fn replace(number: i64, result: i64) {
    if !IS_STILL.load(Ordering::Relaxed) || result != 0 || TIME.get() == 0 {
        return;
    }
    let unit = match number {
        number::CLOCK_GETTIME => 1,
        number::GETTIMEOFDAY => 1_000,
        number::NANOSLEEP | number::CLOCK_NANOSLEEP => {
            let place = TIME.take();
            let words = [0, 8].map(|offset| memory::read(place + offset));
            if let [Some(seconds), Some(nanos)] = words {
                NOW.fetch_add(seconds * A_SECOND + nanos, Ordering::Relaxed);
            }
            return;
        }
        _ => return,
    };
    let now = NOW.fetch_add(READING, Ordering::Relaxed);
    let words = [now / A_SECOND, now % A_SECOND / unit];
    memory::write(TIME.take(), words.map(u64::to_ne_bytes).as_flattened());
}
