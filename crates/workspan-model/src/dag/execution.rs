//! What a dag does not tell of how it runs.

use crate::lock::LockedPart;
use crate::{Dag, ParallelismInterval, Profile, SchedulingCosts, Work, totals};

/// What a dag does not tell of how it runs, and on how many cores that is asked.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'a> {
    /// What scheduling costs.
    pub costs: &'a SchedulingCosts,
    /// Numbers of cores P.
    pub cores: &'a [u32],
    /// H: time for which the lock was held that was held longest, as [`Execution::locked_in`] has it. No dag has locks, since the
    /// order in which threads get one is the schedule's.
    pub locked: Work,
}

/// How far the lock that is held longest limits a program as it is, and changed. Speedups are over the program as it is on
/// one core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LockLimit {
    /// H: time for which it is held, as the program is.
    pub held: Work,
    /// Whether H is estimated, since the dag is not whole.
    pub is_estimated: bool,
    /// No speedup exceeds this, as it is.
    pub before: f64,
    /// The same of the changed program: if no time is saved under the lock, and if all that is saved is saved there.
    pub after: ParallelismInterval,
}

impl<'a> Execution<'a> {
    /// Of the program of `profile`, of which `dag` is.
    ///
    /// # Panics
    /// When the profile or the dag is not valid.
    pub fn of(profile: &Profile, dag: &Dag, costs: &'a SchedulingCosts, cores: &'a [u32]) -> Self {
        Self {
            costs,
            cores,
            locked: Self::locked_in(profile, dag),
        }
    }

    /// H: time for which the lock of `profile` was held that was held longest ([`Lock::held`](crate::Lock::held)). Of a dag that
    /// ends before the program did it is estimated: a profile does not tell when a lock was held, so as much of the dag's work
    /// is taken to be done under it as of the whole work.
    ///
    /// # Panics
    /// When the profile or the dag is not valid.
    pub fn locked_in(profile: &Profile, dag: &Dag) -> Work {
        let totals = totals(profile);
        let (whole, locked) = (totals.work.time(), totals.locked);
        if !dag.is_truncated {
            return locked;
        }
        let recorded = dag.time_of(dag.totals().work).min(whole);
        let share = recorded.share_of(whole);
        Work::from_nanos((locked.time().as_nanos() as f64 * share) as i64)
    }

    /// What the lock leaves of a program of `before` that changes have made one of `after`: no speedup of this one over its
    /// own work exceeds it.
    pub(super) fn most_speedup(&self, before: Work, after: Work) -> ParallelismInterval {
        LockedPart::of(self.locked, before, after).most_speedup(after)
    }

    pub(super) fn lock_limit(&self, dag: &Dag, before: Work, after: Work) -> Option<LockLimit> {
        let as_it_is = self.most_speedup(before, before);
        let gain = before.time().as_nanos().max(1) as f64 / after.time().as_nanos().max(1) as f64;
        let changed = self.most_speedup(before, after);
        (self.locked > Work::ZERO).then(|| LockLimit {
            held: self.locked,
            is_estimated: dag.is_truncated,
            before: as_it_is.lower,
            after: ParallelismInterval {
                lower: changed.lower * gain,
                upper: changed.upper.map(|upper| upper * gain),
            },
        })
    }
}
