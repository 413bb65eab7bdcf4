//! Totals over the whole program.

use serde::{Deserialize, Serialize};

use crate::lock::{LockedPart, most_speedup};
use crate::{Nanos, ParallelismInterval, Span, SpanInterval, TaskingOverhead, Work};

/// Totals over the whole program: the quantities of Cilkview's report (Fig. 6), and more from the
/// runtime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Work T₁.
    pub work: Work,
    /// Span T∞.
    pub span: Span,
    /// Burdened span T̂∞.
    pub burdened_span: Span,
    /// H: the total time for which the lock that was held longest was held
    /// ([`Lock::held`](crate::Lock::held)).
    pub locked: Work,
    /// T₁/T∞; 1 for a program without span.
    pub parallelism: f64,
    /// T₁/T̂∞; 1 for a program without span.
    pub burdened_parallelism: f64,
    /// What is known of the span; just the span itself if every strand was timed separately.
    pub span_interval: SpanInterval,
    /// What is known of the burdened span.
    pub burdened_span_interval: SpanInterval,
    /// What is known of the parallelism.
    pub parallelism_interval: ParallelismInterval,
    /// What is known of the burdened parallelism.
    pub burdened_parallelism_interval: ParallelismInterval,
    /// The share of the work that was timed in shared stretches.
    pub shared_share: f64,
    /// Tasks created.
    pub spawns: u64,
    /// Waits for tasks.
    pub syncs: u64,
    /// Work per maximal strand.
    pub average_strand: Nanos,
    /// Cost of creating and scheduling tasks.
    pub tasking_overhead: TaskingOverhead,
    /// Time that strands spent in voluntary waits; part of the work.
    pub blocked: Nanos,
    /// Tasks that ran on another thread than their spawner.
    pub stolen: u64,
    /// Instances of parallel constructs.
    pub constructs: u64,
    /// From the start of the process to the writing of the profile.
    pub elapsed: Nanos,
}

impl Totals {
    /// The greatest possible speedup, whatever the number of cores: T₁/max(T∞, H), by the span law
    /// (Cilkview §2, inequality 4) and by the lock that is held for H
    /// ([`Lock::held`](crate::Lock::held)).
    pub fn most_speedup(&self) -> ParallelismInterval {
        let locked = LockedPart::exactly(self.locked).most_speedup(self.work);
        self.parallelism_interval.at_most(locked)
    }

    /// The parallelism that remains with the runtime's costs and locks: T₁/(T̂∞ + H). While threads
    /// wait for the lock that is held for H, one of them works under it. So greedy scheduling takes
    /// at most T₁/P + T∞ + H, if no other lock is waited for.
    pub fn burdened_bound(&self) -> ParallelismInterval {
        let locked = LockedPart::exactly(self.locked).most_speedup(self.work);
        self.burdened_parallelism_interval.in_series_with(locked)
    }

    /// T₁/H; infinite for a program without locks.
    pub fn most_speedup_by_locks(&self) -> f64 {
        most_speedup(self.work, self.locked)
    }
}
