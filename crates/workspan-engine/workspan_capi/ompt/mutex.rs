//! Locks of all kinds: the time in which a thread waits for one is no work, and what is done under one is told of.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use workspan_rt::events::{self, At, Construct};
use workspan_rt::{is_first_thread, Kind};

use super::abi::{self, endpoint};
use super::task;

/// Does the runtime tell of releases?
static TELLS_RELEASES: AtomicBool = AtomicBool::new(true);

/// Whether to ask the runtime for releases: only where the calling thread, the first to use it, is the
/// process's first thread. Asked for them, libomp before version 22 reads the state of its first
/// thread whenever a thread leaves a critical section, and that state is gone once the thread has
/// ended. Without releases a lock is held for no time, and only the waits for it are known.
pub(super) fn choose_releases() -> bool {
    let tells = is_first_thread();
    // Relaxed: the runtime has no other threads yet.
    TELLS_RELEASES.store(tells, Ordering::Relaxed);
    if !tells {
        eprintln!(
            "workspan: a thread other than the program's first is the first to use OpenMP: for how long its locks are held \
             is not measured"
        );
    }
    tells
}

/// # Safety
/// None of its own; it is unsafe because its type is.
pub(super) unsafe extern "C" fn lock_init(
    _kind: c_int,
    _hint: c_uint,
    _implementation: c_uint,
    lock: u64,
    _code: *const c_void,
) {
    events::renewed(lock);
}

/// # Safety
/// None of its own; it is unsafe because its type is.
pub(super) unsafe extern "C" fn mutex_acquire(
    kind: c_int,
    _hint: c_uint,
    _implementation: c_uint,
    _lock: u64,
    _code: *const c_void,
) {
    // One that is only tried out may never be told as acquired.
    if !matches!(kind, abi::mutex::TEST_LOCK | abi::mutex::TEST_NEST_LOCK) {
        events::acquire();
    }
}

/// # Safety
/// None of its own; it is unsafe because its type is.
pub(super) unsafe extern "C" fn mutex_acquired(kind: c_int, lock: u64, code: *const c_void) {
    let construct = Construct {
        kind: match kind {
            abi::mutex::CRITICAL => Kind::Critical,
            abi::mutex::ATOMIC => Kind::Atomic,
            abi::mutex::ORDERED => Kind::Ordered,
            _ => Kind::Lock,
        },
        at: At::Code(code as usize),
    };
    events::acquired(number(kind, lock), &construct);
    if !TELLS_RELEASES.load(Ordering::Relaxed) {
        events::released(number(kind, lock));
    }
}

/// # Safety
/// None of its own; it is unsafe because its type is.
pub(super) unsafe extern "C" fn mutex_released(kind: c_int, lock: u64, _code: *const c_void) {
    events::released(number(kind, lock));
}

/// What tells a lock from all others. The runtime names the ordered parts of a loop by their team, and a later one may be
/// in the same place.
fn number(kind: c_int, lock: u64) -> u64 {
    match kind {
        abi::mutex::ORDERED => task::inner_region().unwrap_or(lock),
        _ => lock,
    }
}

/// # Safety
/// None of its own; it is unsafe because its type is.
pub(super) unsafe extern "C" fn nest_lock(endpoint: c_int, _lock: u64, _code: *const c_void) {
    // The thread has the lock already.
    if endpoint == endpoint::BEGIN {
        events::pause_end();
    }
}
