//! The kernel's clocks, which take a call.

use std::ffi::c_int;

extern "C" {
    fn clock_gettime(clock: c_int, time: *mut [i64; 2]) -> c_int;
}

/// The time of the kernel's `clock`, in nanoseconds.
pub(crate) fn time_of(clock: c_int) -> i64 {
    let mut time = [0; 2];
    // SAFETY: the call only writes `time`, which is as large as `timespec`, two longs on 64-bit
    // Linux.
    unsafe { clock_gettime(clock, &mut time) };
    time[0] * 1_000_000_000 + time[1]
}

/// Nanoseconds for which the calling thread has run.
pub(crate) fn processor_time() -> i64 {
    const THREAD_CPUTIME: c_int = 3;
    time_of(THREAD_CPUTIME)
}
