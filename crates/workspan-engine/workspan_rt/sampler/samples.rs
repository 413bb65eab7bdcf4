//! What sampling keeps for each thread.

use super::kernel::Timer;
use super::pending::Pending;
use crate::system::counter::Counter;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What sampling keeps for one thread.
#[derive(Default)]
pub(crate) struct Samples {
    pub(super) pending: Pending,
    /// Samples while no strand ran, since the session began.
    pub(super) outside: Pending,
    pub(super) timer: Timer,
    /// Did the kernel refuse the thread a timer?
    pub(super) refused: AtomicBool,
    /// Is the thread in its signal handler?
    pub(crate) taking: AtomicBool,
    /// The thread's stack: its lowest address, and the one after its highest.
    pub(super) stack: [AtomicUsize; 2],
    /// Samples taken; signals in the engine's bookkeeping; signals while no strand ran.
    pub(super) taken: Counter,
    pub(super) in_engine: Counter,
    pub(super) idle: Counter,
}

impl Samples {
    /// Did a sample fall in the present strand?
    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        self.pending.any()
    }

    /// For the end of the thread or of the session.
    pub(crate) fn end(&self) {
        self.timer.stop();
        self.refused.store(false, Ordering::Relaxed);
    }

    /// Forgets what an earlier session saw.
    pub(crate) fn clear(&self) {
        self.pending.clear();
        self.outside.clear();
        for counter in [&self.taken, &self.in_engine, &self.idle] {
            counter.set(0);
        }
    }

    pub(super) fn has_on_stack(&self, address: usize) -> bool {
        let [low, high] = [&self.stack[0], &self.stack[1]].map(|end| end.load(Ordering::Relaxed));
        low <= address && address < high
    }
}
