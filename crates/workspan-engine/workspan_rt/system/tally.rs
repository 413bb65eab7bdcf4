//! Numbers that one thread counts up while others read them.

use std::sync::atomic::{AtomicI64, Ordering};

/// A number that one thread writes and others may read at any time: a plain load, add and store.
#[derive(Default)]
pub(crate) struct Tally(AtomicI64);

impl Tally {
    pub(crate) fn new(n: i64) -> Self {
        Self(AtomicI64::new(n))
    }

    /// Adds `n`. Only for the one thread that writes this tally.
    #[inline(always)]
    pub(crate) fn add(&self, n: i64) {
        // Relaxed, and no atomic addition: there is one writer, and readers accept any recent
        // value.
        self.0
            .store(self.0.load(Ordering::Relaxed) + n, Ordering::Relaxed);
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(crate) fn set(&self, n: i64) {
        self.0.store(n, Ordering::Relaxed);
    }
}
