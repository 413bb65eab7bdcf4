//! Hubs: named points of the recorded dag.

use crate::record::Item;
use crate::thread::{self, Thread};
use std::sync::atomic::{AtomicU64, Ordering};

/// A hub. It gets a name when first asked for; 0: none yet.
#[derive(Default)]
pub(super) struct Hub(AtomicU64);

impl Hub {
    pub(super) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// The name; 0 if nothing is recorded.
    pub(super) fn name(&self, thread: &Thread) -> u64 {
        let known = self.known();
        if known != 0 || !thread.records() {
            return known;
        }
        let new = thread.recorder.new_name();
        let named = self
            .0
            .compare_exchange(0, new, Ordering::AcqRel, Ordering::Acquire);
        named.map_or_else(|known| known, |_| new)
    }

    /// The name if it has one, else 0.
    pub(super) fn known(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// The name if it has one, else 0. The hub is given up: it will get a new name.
    pub(super) fn take(&self) -> u64 {
        // A load is cheaper than an exchange, and most hubs have no name.
        match self.known() {
            0 => 0,
            _ => self.0.swap(0, Ordering::AcqRel),
        }
    }
}

/// Orders hub `to` after hub `from`, unless nothing has led to `from`.
pub(super) fn lead_from_anywhere(from: &Hub, to: &Hub) {
    let from = from.take();
    record_from_anywhere(|thread| lead(thread, from, to));
}

/// Calls `record` with the calling thread's data, if the engine knows that thread. If bookkeeping
/// is paused, waits for the end of the pause.
pub(super) fn record_from_anywhere(record: impl FnOnce(&Thread)) {
    let thread = thread::current();
    if thread.is_null() {
        return;
    }
    // SAFETY: it is not null, so it points at the calling thread's data, which are never freed.
    let thread = unsafe { &*thread };
    if thread.busy.load(Ordering::Relaxed) {
        // This is part of the thread's own bookkeeping, or of what the writer of the profile does
        // in its place.
        record(thread);
    } else {
        thread::guarded(thread, record);
    }
}

/// [`lead_from_anywhere`] within the bookkeeping of `thread`.
pub(super) fn lead(thread: &Thread, from: u64, to: &Hub) {
    if from != 0 && thread.records() {
        let to = to.name(thread);
        thread.record_tie(Item::Lead { from, to }, 0);
    }
}
