//! Notices at once that the program sets what becomes of SIGPROF.
//!
//! The engine stands before the C library's two functions for that. Whoever calls one for this signal gets none of the
//! engine's: timers end first, and what they have raised is discarded, which the kernel does with all pending signals of a
//! kind that is being ignored (signal(7)). So a program that sets all signals to their default, which for this one is to
//! end the process, goes on.

use super::kernel::{SIGPROF, SIG_IGN};
use super::{account, end_all, OFF, RATE, TAKEN_OVER};
use crate::session;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::Ordering;

const SIG_DFL: usize = 0;

extern "C" {
    // Other names of the C library for the same functions.
    fn __sigaction(number: c_int, new: *const c_void, old: *mut c_void) -> c_int;
    fn ssignal(number: c_int, handler: usize) -> usize;
}

/// Sets or asks what becomes of a signal.
///
/// # Safety
/// As sigaction(2).
#[no_mangle]
pub unsafe extern "C" fn sigaction(number: c_int, new: *const c_void, old: *mut c_void) -> c_int {
    if number == SIGPROF && !new.is_null() {
        give_way();
    }
    // SAFETY: the caller's promise.
    unsafe { __sigaction(number, new, old) }
}

/// Sets what becomes of a signal.
///
/// # Safety
/// As signal(2).
#[no_mangle]
pub unsafe extern "C" fn signal(number: c_int, handler: usize) -> usize {
    if number == SIGPROF {
        give_way();
    }
    // SAFETY: the caller's promise.
    unsafe { ssignal(number, handler) }
}

/// Ends the sampling, if there is any.
fn give_way() {
    let rate = RATE.load(Ordering::Relaxed);
    // A child of a fork has none of the timers, and locks that nobody may ever unlock.
    if rate == OFF || rate == 0 || !session::is_ours() {
        return;
    }
    let mut account = account();
    account.trouble = Some(TAKEN_OVER);
    end_all();
    for handler in [SIG_IGN, SIG_DFL] {
        // Longer than the C library's structure, which begins with the handler.
        let mut action = [0_usize; 32];
        action[0] = handler;
        // SAFETY: the structure asks for no flags, and outlives the call.
        unsafe { __sigaction(SIGPROF, action.as_ptr().cast(), ptr::null_mut()) };
    }
}
