//! The longest of the paths that tasks bring to the sync which awaits them.

use crate::frame::Frame;
use crate::sync::{AtomicI64, Mutex, Ordering, PoisonError};

/// Keeps the longest path and, apart from it, the greatest burdened length and the greatest open one.
pub(crate) struct Longest {
    /// Depth of `frame`: spares most tasks the lock.
    depth: AtomicI64,
    burdened: AtomicI64,
    open: AtomicI64,
    frame: Mutex<Option<Frame>>,
}

impl Longest {
    pub(crate) const fn new() -> Self {
        Self {
            depth: AtomicI64::new(i64::MIN),
            burdened: AtomicI64::new(i64::MIN),
            open: AtomicI64::new(0),
            frame: Mutex::new(None),
        }
    }

    /// Considers the path of an ended task.
    ///
    /// The numbers are only hints for other tasks, so relaxed will do: the sync reads them after the runtime's
    /// own latch has ordered every task before it.
    pub(crate) fn offer(&self, frame: Frame) {
        if frame.burdened() > self.burdened.load(Ordering::Relaxed) {
            self.burdened.fetch_max(frame.burdened(), Ordering::Relaxed);
        }
        if frame.open.get() > self.open.load(Ordering::Relaxed) {
            self.open.fetch_max(frame.open.get(), Ordering::Relaxed);
        }
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
