//! What tasks waited for, and what that may say about more cores.

use crate::sampled_library::{
    SampledAtomics, SampledLock, bridged_share, sampled_atomics, sampled_lock, sampled_runtime,
};
use crate::{LockRow, Nanos, Profile, SiteRow, Totals};

/// The waits of tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Awaited {
    /// How long tasks waited of their own will on the threads of the run.
    pub blocked: Nanos,
    /// The construct whose tasks waited longest, as an index into the site rows.
    pub row: Option<usize>,
    /// If it was for one lock: the least share of the work that is done while it is held.
    pub least_held: f64,
    /// That share if threads come to the lock at random.
    pub likely_held: f64,
    /// The lock that samples found threads at.
    pub lock: Option<SampledLock>,
    /// The atomic instructions that much of the work was sampled at.
    pub atomics: Option<SampledAtomics>,
    /// The share of the work that was sampled in the runtime, where it is much.
    pub runtime_share: Option<f64>,
    /// The least share of the work in iterators that feed `par_bridge`s, as samples show it.
    pub bridge_held: f64,
    /// The lock that was recorded and had to be waited for, as an index into the rows of locks.
    pub recorded: Option<usize>,
}

impl Awaited {
    /// The greatest speedup on any number of cores if all waits were for one lock; infinite if
    /// nothing waited.
    pub fn most_speedup(&self) -> f64 {
        1.0 / self.least_held
    }

    /// [`most_speedup`](Self::most_speedup) if threads came to the lock at random.
    pub fn likely_most_speedup(&self) -> f64 {
        1.0 / self.likely_held
    }

    /// Whether a wait for a lock was seen.
    pub const fn has_lock(&self) -> bool {
        self.lock.is_some() || self.recorded.is_some()
    }
}

/// The waits of the tasks of `profile`.
///
/// While one thread waits for a lock another one works under it. So of P threads at most P − 1
/// wait at a time, and the lock is held for at least their waits divided by that.
///
/// A thread that comes at random to a lock held for a share h of each thread's work finds it held
/// with a probability of (P − 1)·h, and waits for half a hold on average: so it waits for
/// (P − 1)·h²/2 of its work.
pub fn awaited(profile: &Profile, totals: &Totals, rows: &[SiteRow], locks: &[LockRow]) -> Awaited {
    let tasks = || {
        let rows = rows.iter().enumerate();
        rows.filter(|(_, row)| row.kind.is_parallel())
    };
    let blocked: Nanos = tasks().map(|(_, row)| row.on_work.blocked).sum();
    let others = profile.run.threads.saturating_sub(1);
    let least_held = if others == 0 || !profile.run.metric.is_time() {
        0.0
    } else {
        blocked.share_of(totals.work.time()) / f64::from(others)
    };
    let likely_held = (2.0 * least_held).sqrt().min(1.0).max(least_held);
    let longest = tasks().max_by_key(|(_, row)| row.on_work.blocked);
    Awaited {
        blocked,
        row: longest
            .filter(|_| blocked > Nanos::ZERO)
            .map(|(row, _)| row),
        least_held,
        likely_held,
        lock: sampled_lock(profile, blocked > Nanos::ZERO),
        atomics: sampled_atomics(profile),
        runtime_share: sampled_runtime(profile),
        bridge_held: bridged_share(profile),
        recorded: locks.iter().position(|lock| lock.waits > 0),
    }
}
