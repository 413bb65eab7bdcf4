//! The moment at which a profile is cut off.

use crate::state::under_way::settle_rate_once;
use crate::system::processors::Processors;
use crate::{clock, thread};

/// Where a profile ends: the moment, whether the calling thread was running a strand, which ends
/// there, and what the process had of the processors up to it.
pub(crate) struct Cutoff {
    pub(super) ticks: i64,
    pub(super) nanos: i64,
    pub(super) was_running: bool,
    pub(super) processors: Option<Processors>,
}

impl Cutoff {
    pub(crate) fn here() -> Self {
        let ticks = clock::now();
        let nanos = clock::monotonic_nanos();
        settle_rate_once();
        let was_running = thread::with(|thread| {
            thread.refresh();
            thread.end_strand_if_any(clock::now() - ticks)
        });
        Self {
            ticks,
            nanos,
            was_running: was_running == Some(true),
            processors: Processors::now(),
        }
    }

    /// How many ticks of the running strand of `thread` came after the cut: until the world was
    /// stopped, and since.
    pub(super) fn since(&self, thread: &thread::Thread) -> i64 {
        let now = clock::now();
        now - self.ticks.clamp(thread.last.get().min(now), now)
    }

    /// Resumes the strand that ended there. What came in between was the engine's work.
    pub(crate) fn go_on(&self) {
        if self.was_running {
            thread::with(|thread| thread.start_strand_after_wait());
        }
    }
}
