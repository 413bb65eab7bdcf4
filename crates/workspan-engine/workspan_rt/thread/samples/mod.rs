//! What sampling keeps for each thread.

pub(crate) mod line_use;
pub(crate) mod pending;
// The condition of `sampler::kernel`, whose handler takes these timers' signals.
#[cfg_attr(
    not(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64"),
        target_pointer_width = "64",
        not(miri),
        not(workspan_sanitizer)
    )),
    path = "timer_none.rs"
)]
pub(crate) mod timer;

use crate::system::tally::Tally;
use pending::Pending;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use timer::Timer;

/// What sampling keeps for one thread.
#[derive(Default)]
pub(crate) struct Samples {
    pub(crate) pending: Pending,
    /// Samples while no strand ran, since the session began.
    pub(crate) outside: Pending,
    pub(crate) timer: Timer,
    /// Did the kernel refuse the thread a timer?
    pub(crate) refused: AtomicBool,
    /// Is the thread in its signal handler?
    pub(crate) taking: AtomicBool,
    /// The thread's stack: its lowest address, and the one after its highest.
    pub(crate) stack: [AtomicUsize; 2],
    /// Samples taken; signals in the engine's bookkeeping; signals while no strand ran.
    pub(crate) taken: Tally,
    pub(crate) in_engine: Tally,
    pub(crate) idle: Tally,
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
        for tally in [&self.taken, &self.in_engine, &self.idle] {
            tally.set(0);
        }
    }

    pub(crate) fn has_on_stack(&self, address: usize) -> bool {
        let [low, high] = [&self.stack[0], &self.stack[1]].map(|end| end.load(Ordering::Relaxed));
        low <= address && address < high
    }
}
