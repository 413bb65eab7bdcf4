//! Busy work of a known number of iterations.

use std::hint::black_box;
use std::time::Instant;

/// Iterations that take about a microsecond at 3.6 GHz. This only sizes the programs; no expected
/// figure depends on it.
const ITERATIONS_A_MICROSECOND: u64 = 720;

/// Iterations of [`kernel`] that take about this long.
pub const fn nanoseconds(nanoseconds: u64) -> u64 {
    nanoseconds * ITERATIONS_A_MICROSECOND / 1_000
}

/// Iterations of [`kernel`] that take about this long.
pub const fn microseconds(microseconds: u64) -> u64 {
    microseconds * ITERATIONS_A_MICROSECOND
}

/// Keeps the calling thread's processor busy for a number of iterations.
///
/// Each iteration waits for the one before it (a shift, an exclusive or, a multiplication: five
/// cycles), and none reads memory, so only the processor's frequency changes how long one takes.
/// The function is never inlined: its loop is the same machine code in a plain and in a profiled
/// build.
///
/// The clock is read at the end because a processor works ahead. While a short kernel still ran, it
/// would already do the join after it and much of the next kernel, and the strands would have no
/// lengths of their own. Reading the clock first waits for all earlier instructions.
#[inline(never)]
pub fn kernel(iterations: u64) {
    let mut value = black_box(0x9E37_79B9_7F4A_7C15_u64);
    for _ in 0..iterations {
        value ^= value >> 29;
        value = value.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    }
    black_box(value);
    black_box(Instant::now());
}
