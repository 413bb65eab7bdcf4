//! The longest of the paths that tasks bring to the sync that awaits them.

use crate::path::executed::Executed;
use crate::path::frame::Frame;
use crate::system::sync::{AtomicI64, Mutex, Ordering, PoisonError};
use std::borrow::Borrow;

/// Keeps the longest path and, separately, the greatest burdened length, the greatest uncertainty
/// (`open`), and the sum of what was done. The path is kept as `F`: a frame, or a place that holds
/// one.
pub(crate) struct Longest<F = Frame> {
    /// Depth of `frame`, `i64::MIN` without one. Spares most tasks the lock, and also a sync for
    /// which nothing has ended. Written under the lock.
    depth: AtomicI64,
    burdened: AtomicI64,
    open: AtomicI64,
    work: AtomicI64,
    spawns: AtomicI64,
    syncs: AtomicI64,
    own: AtomicI64,
    frame: Mutex<Option<F>>,
}

/// Replaces a number by `empty` and returns it. Most have nothing to give, and a load is cheaper
/// than an exchange. Relaxed: see [`Longest::offer`].
#[inline]
fn taken(number: &AtomicI64, empty: i64) -> i64 {
    if number.load(Ordering::Relaxed) == empty {
        return empty;
    }
    number.swap(empty, Ordering::Relaxed)
}

impl<F: Borrow<Frame>> Longest<F> {
    pub(crate) const fn new() -> Self {
        Self {
            depth: AtomicI64::new(i64::MIN),
            burdened: AtomicI64::new(i64::MIN),
            open: AtomicI64::new(0),
            work: AtomicI64::new(0),
            spawns: AtomicI64::new(0),
            syncs: AtomicI64::new(0),
            own: AtomicI64::new(0),
            frame: Mutex::new(None),
        }
    }

    /// Whether no path has been offered since the last was taken. Relaxed: see [`Longest::offer`].
    pub(crate) fn is_empty(&self) -> bool {
        self.depth.load(Ordering::Relaxed) == i64::MIN
    }

    /// Adds what was done in a task that has ended. Relaxed: see [`Longest::offer`].
    pub(crate) fn add(&self, executed: Executed) {
        if executed.work != 0 {
            self.work.fetch_add(executed.work, Ordering::Relaxed);
        }
        // Tasks rarely create other tasks.
        if executed.spawns != 0 {
            self.spawns.fetch_add(executed.spawns, Ordering::Relaxed);
        }
        if executed.syncs != 0 {
            self.syncs.fetch_add(executed.syncs, Ordering::Relaxed);
        }
    }

    /// Adds ticks of own strands of the awaiting instance itself that ran in a task. Relaxed: see
    /// [`Longest::offer`].
    pub(crate) fn add_own(&self, ticks: i64) {
        self.own.fetch_add(ticks, Ordering::Relaxed);
    }

    /// Takes what was done in all tasks, and the ticks of the instance's own strands that ran in
    /// them.
    pub(crate) fn take_executed(&self) -> (Executed, i64) {
        let take = |sum| taken(sum, 0);
        let executed = Executed {
            work: take(&self.work),
            spawns: take(&self.spawns),
            syncs: take(&self.syncs),
        };
        (executed, take(&self.own))
    }

    /// Considers the path of a task that has ended. Returns the shorter of the two paths, if there
    /// are two.
    ///
    /// To other tasks the numbers are only hints, so Relaxed will do: the sync reads them after the
    /// runtime's own latch has ordered every task before it.
    pub(crate) fn offer(&self, frame: F) -> Option<F> {
        let path = frame.borrow();
        self.offer_lengths(path.burdened(), path.open.get());
        let depth = path.depth;
        if depth > self.depth.load(Ordering::Relaxed) {
            let mut longest = self.frame.lock().unwrap_or_else(PoisonError::into_inner);
            if depth > self.depth.load(Ordering::Relaxed) {
                self.depth.store(depth, Ordering::Relaxed);
                // Dropping a long chain takes a while: not under the lock.
                return longest.replace(frame);
            }
        }
        Some(frame)
    }

    /// Considers the burdened length and the uncertainty of a path that is not the longest.
    /// Relaxed: see [`Longest::offer`].
    #[inline]
    pub(crate) fn offer_lengths(&self, burdened: i64, open: i64) {
        if burdened > self.burdened.load(Ordering::Relaxed) {
            self.burdened.fetch_max(burdened, Ordering::Relaxed);
        }
        if open > self.open.load(Ordering::Relaxed) {
            self.open.fetch_max(open, Ordering::Relaxed);
        }
    }

    /// Takes the longest path offered, if any, the greatest burdened length, and the greatest
    /// uncertainty.
    pub(crate) fn take(&self) -> (Option<F>, i64, i64) {
        let frame = if self.is_empty() {
            None
        } else {
            let mut longest = self.frame.lock().unwrap_or_else(PoisonError::into_inner);
            self.depth.store(i64::MIN, Ordering::Relaxed);
            longest.take()
        };
        (frame, taken(&self.burdened, i64::MIN), taken(&self.open, 0))
    }
}
