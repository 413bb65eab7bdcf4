//! What the speedup of a dag depends on besides the dag: cores, scheduling costs and locks.

use crate::run::lock::LockedPart;
use crate::{Dag, Estimate, Profile, SchedulingCosts, Work};

/// How a dag is executed: on how many cores, at what scheduling costs, and under what lock.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'a> {
    /// The costs of scheduling.
    pub costs: &'a SchedulingCosts,
    /// The numbers of cores P to compute speedups for.
    pub cores: &'a [u32],
    /// H: how long the lock that was held longest was held, from [`Execution::locked_in`]. The dag
    /// itself has no locks, because the order in which threads get a lock depends on the schedule.
    pub locked: Work,
}

/// How far the lock that is held longest limits a program, before and after changes. All speedups
/// are over the unchanged program on one core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LockLimit {
    /// H: how long the unchanged program holds it.
    pub held: Work,
    /// Whether H is an estimate, because the dag is truncated.
    pub is_estimated: bool,
    /// The greatest possible speedup of the unchanged program.
    pub before: f64,
    /// The greatest possible speedup of the changed program. The lower end holds if the changes
    /// save no time under the lock, the upper end if all the time that they save was under it.
    pub after: Estimate<f64>,
}

impl<'a> Execution<'a> {
    /// How `dag` is executed. It was recorded in the run of `profile`, which has the locks.
    ///
    /// # Panics
    /// If the profile or the dag is invalid.
    pub fn new(profile: &Profile, dag: &Dag, costs: &'a SchedulingCosts, cores: &'a [u32]) -> Self {
        Self {
            costs,
            cores,
            locked: Self::locked_in(profile, dag),
        }
    }

    /// H: how long the lock that was held longest was held ([`Lock::held`](crate::Lock::held)).
    ///
    /// For a truncated dag this is an estimate. A profile does not say when a lock was held, so the
    /// lock is assumed to have the same share of the dag's work as of the whole work.
    ///
    /// # Panics
    /// If the profile or the dag is invalid.
    pub fn locked_in(profile: &Profile, dag: &Dag) -> Work {
        let (whole, locked) = (profile.work().time(), profile.held_longest());
        if !dag.is_truncated {
            return locked;
        }
        let recorded = dag.time_of(dag.totals().work).min(whole);
        let share = recorded.share_of(whole);
        Work::from_nanos((locked.time().as_nanos() as f64 * share) as i64)
    }

    /// The greatest speedup that the lock allows a program whose work changes from `before` to
    /// `after`, over the changed program on one core.
    pub(super) fn most_speedup(&self, before: Work, after: Work) -> Estimate<f64> {
        LockedPart::new(self.locked, before, after).most_speedup(after)
    }

    /// How far the lock limits a program whose work changes from `before` to `after`; `None` if no
    /// lock was held.
    pub(super) fn lock_limit(&self, dag: &Dag, before: Work, after: Work) -> Option<LockLimit> {
        let unchanged = self.most_speedup(before, before);
        let changed = self.most_speedup(before, after);
        // Turns a speedup over the changed program into one over the unchanged program.
        let gain = before.time().as_nanos().max(1) as f64 / after.time().as_nanos().max(1) as f64;
        (self.locked > Work::ZERO).then(|| LockLimit {
            held: self.locked,
            is_estimated: dag.is_truncated,
            before: unchanged.low,
            after: changed.map(|speedup| speedup * gain),
        })
    }
}
