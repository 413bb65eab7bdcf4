//! Timers of a thread's processor time: the kernel's own structures and system calls, the same
//! under every C library.

use std::ffi::{c_int, c_long, c_void};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

/// The signal that they raise.
pub(crate) const SIGPROF: c_int = 27;
const THREAD_CPUTIME: c_int = 3;
const SIGEV_THREAD_ID: c_int = 4;

#[cfg(target_arch = "x86_64")]
mod number {
    use std::ffi::c_long;
    pub(super) const GETTID: c_long = 186;
    pub(super) const TIMER_CREATE: c_long = 222;
    pub(super) const TIMER_SETTIME: c_long = 223;
    pub(super) const TIMER_DELETE: c_long = 226;
}

#[cfg(target_arch = "aarch64")]
mod number {
    use std::ffi::c_long;
    pub(super) const GETTID: c_long = 178;
    pub(super) const TIMER_CREATE: c_long = 107;
    pub(super) const TIMER_SETTIME: c_long = 110;
    pub(super) const TIMER_DELETE: c_long = 111;
}

extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
}

/// `struct sigevent`, as the kernel reads it for a thread.
#[repr(C)]
struct Event {
    value: usize,
    signal: c_int,
    notify: c_int,
    thread: c_int,
    _pad: [c_int; 11],
}

/// A thread's timer.
pub(crate) struct Timer(AtomicI32);

const NONE: i32 = -1;

impl Default for Timer {
    fn default() -> Self {
        Self(AtomicI32::new(NONE))
    }
}

impl Timer {
    pub(crate) fn runs(&self) -> bool {
        self.0.load(Ordering::Relaxed) != NONE
    }

    /// Starts the timer of the calling thread, whose data is at `thread`. False if the kernel has
    /// none to give. The signals carry this address, by which the handler (`on_signal` in
    /// `sampler/kernel.rs`) knows them as ours.
    pub(crate) fn start(&self, thread: *const (), rate: u32) -> bool {
        let mut timer: c_int = 0;
        let period = 1_000_000_000 / i64::from(rate.max(1));
        let period = [period / 1_000_000_000, period % 1_000_000_000];
        let times = [period, period];
        let nothing: *mut c_void = ptr::null_mut();
        // SAFETY: the kernel reads and writes nothing but the structures that are passed, which are
        // laid out as it knows them and outlive the calls.
        unsafe {
            let mut event = Event {
                value: thread as usize,
                signal: SIGPROF,
                notify: SIGEV_THREAD_ID,
                thread: syscall(number::GETTID) as c_int,
                _pad: [0; 11],
            };
            let (event, id) = (ptr::addr_of_mut!(event), ptr::addr_of_mut!(timer));
            if syscall(number::TIMER_CREATE, THREAD_CPUTIME as c_long, event, id) != 0 {
                return false;
            }
            let (id, relative) = (timer as c_long, 0 as c_long);
            if syscall(number::TIMER_SETTIME, id, relative, &times, nothing) != 0 {
                syscall(number::TIMER_DELETE, id);
                return false;
            }
        }
        self.0.store(timer, Ordering::Relaxed);
        true
    }

    /// Ends the timer, from any thread.
    pub(crate) fn stop(&self) {
        let timer = self.0.swap(NONE, Ordering::Relaxed);
        if timer != NONE {
            // SAFETY: the swap gives the timer to one caller alone, so it is given back once, and
            // the call takes numbers alone.
            unsafe { syscall(number::TIMER_DELETE, timer as c_long) };
        }
    }
}
