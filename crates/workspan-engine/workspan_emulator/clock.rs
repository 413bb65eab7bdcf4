//! A clock for the emulated program that nearly stands still, if it is asked for: what the program prints of times, and so how many
//! instructions that takes, is then the same in each run.
//!
//! It goes on by a microsecond at each reading, so that loops which wait for a time end, and to the end of each wait that no more
//! than time has ended, so that programs which look at the clock after a wait do not wait again.

use crate::memory;
use crate::wait::{self, Wait, A_SECOND};
use std::cell::Cell;
use std::ffi::{c_char, c_int, CStr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// System calls on x86-64.
mod number {
    pub(super) const GETTIMEOFDAY: i64 = 96;
    pub(super) const CLOCK_GETTIME: i64 = 228;
}

/// What the plug-in is told to have this clock, as QEMU passes it.
const ARGUMENT: &[u8] = b"still=on";

/// Nanoseconds that a reading takes.
const READING: u64 = 1_000;

static IS_STILL: AtomicBool = AtomicBool::new(false);
/// Nanoseconds. A time of this clock that the program waits for goes to the kernel, whose clocks are other ones: this one begins
/// so early that the kernel finds the time passed, and the wait ends at once. Were it ahead of the kernel's, the wait would take
/// as long as that is behind.
static NOW: AtomicU64 = AtomicU64::new(A_SECOND);

/// What the call that a thread is in has to do with time.
#[derive(Clone, Copy)]
enum Call {
    /// Nothing.
    Timeless,
    /// It writes the time to `place`: seconds, and the rest in units of so many nanoseconds.
    Reading { place: u64, unit: u64 },
    /// It waits until that time of this clock at most.
    Waiting { until: u64, wait: Wait },
}

thread_local! {
    static CALL: Cell<Call> = const { Cell::new(Call::Timeless) };
}

/// Looks whether the clock is asked for.
///
/// # Safety
/// `arguments` points at as many C strings as `count` says, or at anything if that is not positive.
pub(crate) unsafe fn choose(count: c_int, arguments: *const *const c_char) {
    let is_asked = (0..usize::try_from(count).unwrap_or(0)).any(|index| {
        // SAFETY: `index` is less than `count`, and `arguments` are so many C strings (`# Safety`).
        let argument = unsafe { CStr::from_ptr(*arguments.add(index)) };
        argument.to_bytes() == ARGUMENT
    });
    IS_STILL.store(is_asked, Ordering::Relaxed);
}

/// A thread calls the kernel.
pub(crate) fn remember(number: i64, arguments: [u64; 5]) {
    if !IS_STILL.load(Ordering::Relaxed) {
        return;
    }
    let reading = |place, unit| Call::Reading { place, unit };
    CALL.set(match number {
        number::CLOCK_GETTIME => reading(arguments[1], 1),
        number::GETTIMEOFDAY => reading(arguments[0], 1_000),
        _ => waiting(number, arguments).unwrap_or(Call::Timeless),
    });
}

fn waiting(number: i64, arguments: [u64; 5]) -> Option<Call> {
    let wait = wait::of_call(number, arguments)?;
    let nanos = wait.nanos()?;
    let until = match wait.is_absolute {
        true => nanos,
        false => NOW.load(Ordering::Relaxed).saturating_add(nanos),
    };
    Some(Call::Waiting { until, wait })
}

/// The kernel has done what it was called for.
pub(crate) fn replace(result: i64) {
    match CALL.replace(Call::Timeless) {
        Call::Reading { place, unit } if result == 0 && place != 0 => {
            let now = NOW.fetch_add(READING, Ordering::Relaxed);
            let words = [now / A_SECOND, now % A_SECOND / unit];
            memory::write(place, words.map(u64::to_ne_bytes).as_flattened());
        }
        Call::Waiting { until, wait } if result == wait.timed_out => {
            NOW.fetch_max(until, Ordering::Relaxed);
        }
        _ => {}
    }
}
