//! What is kept about workers, and about the main thread.

use super::account::Account;
use super::search::Search;
use super::wait::Wait;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicI64, AtomicUsize};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is kept about a worker. Lent again once its thread has ended. On a cache line of its own,
/// since other threads write to it.
#[repr(align(64))]
pub(super) struct Record {
    pub(super) account: Mutex<Account>,
    /// What the worker waits for in its main loop: this has no end, and others take over what the
    /// worker has spawned.
    pub(super) main_loop: Wait,
    /// For a thread that reports by calls.
    pub(super) search: Search,
}

// SAFETY: `account` has a lock, and `search` nothing but atomics. The one cell, `seen` of
// `main_loop`, is touched by the thread that the record is lent to, which the lock of `ALL` orders
// after the last.
unsafe impl Sync for Record {}

impl Record {
    pub(super) fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Every worker's record, and whether it is lent.
pub(super) static ALL: Mutex<Vec<(&'static Record, bool)>> = Mutex::new(Vec::new());

/// When the program started.
pub(super) static START: AtomicI64 = AtomicI64::new(0);

/// How many threads pools have now, and had at most.
pub(super) static LIVE: AtomicUsize = AtomicUsize::new(0);

pub(super) static MOST: AtomicUsize = AtomicUsize::new(0);

/// What the main thread runs.
pub(super) static OUTSIDE: Mutex<Outside> = Mutex::new(Outside {
    since: None,
    sum: 0,
});

/// The main thread's own code.
pub(super) struct Outside {
    /// When it last resumed, if it runs.
    pub(super) since: Option<i64>,
    pub(super) sum: i64,
}

pub(super) fn all() -> MutexGuard<'static, Vec<(&'static Record, bool)>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn outside_account() -> MutexGuard<'static, Outside> {
    OUTSIDE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Outside {
    pub(super) fn stop(&mut self, now: i64) {
        if let Some(since) = self.since.take() {
            self.sum += (now - since).max(0);
        }
    }
}

/// What a thread knows of itself.
pub(super) struct Local {
    pub(super) record: Cell<Option<&'static Record>>,
    /// What the thread waits for whenever it runs nothing. Null while it runs something.
    pub(super) waiting: Cell<*const Wait>,
    /// Is a wait under way in the account?
    pub(super) idles: Cell<bool>,
    /// Is this the main thread, outside of any pool?
    pub(super) is_outside: Cell<bool>,
}

thread_local! {
    pub(super) static LOCAL: Local = const {
        Local {
            record: Cell::new(None),
            waiting: Cell::new(ptr::null()),
            idles: Cell::new(false),
            is_outside: Cell::new(false),
        }
    };
}
