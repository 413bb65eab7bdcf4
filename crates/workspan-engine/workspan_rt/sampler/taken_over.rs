//! Notices at once when the program changes the disposition of SIGPROF.
//!
//! The engine interposes the two functions of the C library that do that. Whoever calls one for
//! this signal gets none of the engine's signals: first the timers end, and what they have raised
//! is discarded, as the kernel discards all pending signals of a kind that becomes ignored
//! (signal(7)). So a program that sets all signals to their default, which for this one is to end
//! the process, keeps running.

use super::kernel::SIG_IGN;
use super::{account, end_all, OFF, RATE, TAKEN_OVER};
use crate::state::process;
use crate::thread::samples::timer::SIGPROF;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::Ordering;

const SIG_DFL: usize = 0;

extern "C" {
    // The C library's other names for the same functions.
    fn __sigaction(number: c_int, new: *const c_void, old: *mut c_void) -> c_int;
    fn ssignal(number: c_int, handler: usize) -> usize;
}

/// Changes or queries the disposition of a signal.
///
/// # Safety
/// As sigaction(2).
#[no_mangle]
pub unsafe extern "C" fn sigaction(number: c_int, new: *const c_void, old: *mut c_void) -> c_int {
    if number == SIGPROF && !new.is_null() {
        give_way();
    }
    // SAFETY: the caller keeps to sigaction(2) (`# Safety`), and this is the same function under
    // another name of the C library's.
    unsafe { __sigaction(number, new, old) }
}

/// Changes the disposition of a signal.
///
/// # Safety
/// As signal(2).
#[no_mangle]
pub unsafe extern "C" fn signal(number: c_int, handler: usize) -> usize {
    if number == SIGPROF {
        give_way();
    }
    // SAFETY: the caller keeps to signal(2) (`# Safety`), and this is the same function under
    // another name of the C library's.
    unsafe { ssignal(number, handler) }
}

/// Ends the sampling, if it runs.
fn give_way() {
    let rate = RATE.load(Ordering::Relaxed);
    // A child of a fork has none of the timers, and its locks may never be unlocked.
    if rate == OFF || rate == 0 || !process::is_ours() {
        return;
    }
    let mut account = account();
    account.trouble = Some(TAKEN_OVER);
    end_all();
    for handler in [SIG_IGN, SIG_DFL] {
        // Longer than the C library's structure, which begins with the handler.
        let mut action = [0_usize; 32];
        action[0] = handler;
        // SAFETY: the structure is longer than the C library's and outlives the call; it names no
        // function, and no flags.
        unsafe { __sigaction(SIGPROF, action.as_ptr().cast(), ptr::null_mut()) };
    }
}
