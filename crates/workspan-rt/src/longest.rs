//! The longest of the paths that tasks bring to the sync which awaits them.

use crate::effort::Effort;
use crate::frame::Frame;
use crate::sync::{AtomicI64, Mutex, Ordering, PoisonError};

/// Keeps the longest path and, apart from it, the greatest burdened length, the greatest open one, and the sum of what
/// was done.
pub(crate) struct Longest {
    /// Depth of `frame`: spares most tasks the lock.
    depth: AtomicI64,
    burdened: AtomicI64,
    open: AtomicI64,
    work: AtomicI64,
    spawns: AtomicI64,
    syncs: AtomicI64,
    own: AtomicI64,
    frame: Mutex<Option<Frame>>,
}

impl Longest {
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

    /// Adds what was done in an ended task. Relaxed: see [`Longest::offer`].
    pub(crate) fn add(&self, effort: Effort) {
        if effort.work != 0 {
            self.work.fetch_add(effort.work, Ordering::Relaxed);
        }
        // Tasks rarely create others.
        if effort.spawns != 0 {
            self.spawns.fetch_add(effort.spawns, Ordering::Relaxed);
        }
        if effort.syncs != 0 {
            self.syncs.fetch_add(effort.syncs, Ordering::Relaxed);
        }
    }

    /// Adds ticks of own strands of the awaiting instance itself that were run in a task. Relaxed as well.
    pub(crate) fn add_own(&self, ticks: i64) {
        self.own.fetch_add(ticks, Ordering::Relaxed);
    }

    /// What was done in all tasks, and the own strands run in them; forgets it.
    pub(crate) fn take_effort(&self) -> (Effort, i64) {
        let take = |sum: &AtomicI64| sum.swap(0, Ordering::Relaxed);
        let effort = Effort {
            work: take(&self.work),
            spawns: take(&self.spawns),
            syncs: take(&self.syncs),
        };
        (effort, take(&self.own))
    }

    /// Considers the path of an ended task.
    ///
    /// The numbers are only hints for other tasks, so relaxed will do: the sync reads them after the runtime's
    /// own latch has ordered every task before it.
    pub(crate) fn offer(&self, frame: Frame) {
        self.offer_lengths(frame.burdened(), frame.open.get());
        if frame.depth > self.depth.load(Ordering::Relaxed) {
            let mut longest = self.frame.lock().unwrap_or_else(PoisonError::into_inner);
            if frame.depth > self.depth.load(Ordering::Relaxed) {
                self.depth.store(frame.depth, Ordering::Relaxed);
                let loser = longest.replace(frame);
                // Dropping a long chain takes a while.
                drop(longest);
                drop(loser);
            }
        }
    }

    /// Considers a burdened length and an open one, whose paths are not the longest. Relaxed: see [`Longest::offer`].
    #[inline]
    pub(crate) fn offer_lengths(&self, burdened: i64, open: i64) {
        if burdened > self.burdened.load(Ordering::Relaxed) {
            self.burdened.fetch_max(burdened, Ordering::Relaxed);
        }
        if open > self.open.load(Ordering::Relaxed) {
            self.open.fetch_max(open, Ordering::Relaxed);
        }
    }

    /// The longest path offered, if any, the greatest burdened length, and the greatest length timed in
    /// stretches; forgets them.
    pub(crate) fn take(&self) -> (Option<Frame>, i64, i64) {
        let frame = self
            .frame
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        self.depth.store(i64::MIN, Ordering::Relaxed);
        (
            frame,
            self.burdened.swap(i64::MIN, Ordering::Relaxed),
            self.open.swap(0, Ordering::Relaxed),
        )
    }
}
