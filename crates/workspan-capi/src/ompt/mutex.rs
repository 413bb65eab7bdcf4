//! Locks of all kinds: the time in which a thread waits for one is no work.

use std::ffi::{c_int, c_uint, c_void};

use workspan_rt::events;

use super::abi::{self, endpoint};

pub(super) unsafe extern "C" fn mutex_acquire(
    kind: c_int,
    _hint: c_uint,
    _implementation: c_uint,
    _lock: u64,
    _code: *const c_void,
) {
    if waits_for(kind) {
        events::pause_begin();
    }
}

pub(super) unsafe extern "C" fn mutex_acquired(kind: c_int, _lock: u64, _code: *const c_void) {
    if waits_for(kind) {
        events::pause_end();
    }
}

/// Whether a thread waits for a lock of that kind. One that is only tried out may never be told as acquired.
fn waits_for(kind: c_int) -> bool {
    !matches!(kind, abi::mutex::TEST_LOCK | abi::mutex::TEST_NEST_LOCK)
}

pub(super) unsafe extern "C" fn nest_lock(endpoint: c_int, _lock: u64, _code: *const c_void) {
    // The thread has the lock already.
    if endpoint == endpoint::BEGIN {
        events::pause_end();
    }
}
