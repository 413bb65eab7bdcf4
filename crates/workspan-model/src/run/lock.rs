//! Locks of the program. What is done under a lock is done by one thread at a time.

use serde::{Deserialize, Serialize};

use crate::{Estimate, Nanos, SiteId, Span, Work, parallelism};

/// A lock of the program in any form: a lock, a critical section, what makes an update atomic, or
/// the order of a loop's iterations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    /// Where it is acquired, each site once.
    pub uses: Vec<LockUse>,
}

/// What was done under a lock that was acquired at one site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockUse {
    /// The site.
    pub site: SiteId,
    /// Sum over the acquisitions of how much longer the holder's path was at the release. Waits for
    /// other locks and for tasks are not included; the span of a construct that begins and ends
    /// under the lock is.
    pub held: Work,
    /// How often it was acquired.
    pub acquisitions: u64,
    /// How many of the acquisitions had to wait.
    pub waits: u64,
    /// How long all acquisitions took.
    pub waited: Nanos,
}

impl Lock {
    /// H: how long the lock was held. No execution of the program takes less time, because two
    /// threads never do at once what is done under the lock, and every schedule has to do all of
    /// it. So T_P ≥ max(T₁/P, T∞, H).
    ///
    /// This is the work law of Cilkview §2 for the one core that a lock is worth; in queueing
    /// theory, the bottleneck bound of the utilisation law. The order in which threads get the lock
    /// does not matter, so H is no part of the span.
    pub fn held(&self) -> Work {
        self.uses.iter().map(|one| one.held).sum()
    }
}

/// T₁/H: by [`Lock::held`], no speedup over one core exceeds it. Infinite if nothing was done under
/// the lock.
pub(crate) fn most_speedup(work: Work, held: Work) -> f64 {
    parallelism(work, Span::from(held.time())).unwrap_or(f64::INFINITY)
}

/// How much of H ([`Lock::held`]) belongs to a part of a program, or to what changes leave of it. A
/// profile does not record in which code a lock is held: all of the other work, or of the work that
/// is saved, may be done under the lock, or none of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LockedPart {
    /// If all other work is done under the lock.
    least: Work,
    /// If no other work is.
    most: Work,
}

impl LockedPart {
    pub(crate) const fn exactly(held: Work) -> Self {
        Self {
            least: held,
            most: held,
        }
    }

    /// How much of `held` belongs to `part` of the `whole` work.
    pub(crate) fn new(held: Work, whole: Work, part: Work) -> Self {
        let other = (whole.time() - part.time()).max(Nanos::ZERO);
        let least = (held.time() - other).max(Nanos::ZERO);
        let most = held.min(part);
        Self {
            least: most.min(least.into()),
            most,
        }
    }

    /// The limit of the speedup of `work` over one core. The lower end, which is taken for it, holds
    /// wherever the lock is held; the upper end counts only what is certainly done under it.
    pub(crate) fn most_speedup(self, work: Work) -> Estimate<f64> {
        Estimate::exactly(most_speedup(work, self.most)).with([most_speedup(work, self.least)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 300 of 1,000 are under the lock: of a part of 800, at least 100 and at most 300.
    #[test]
    fn all_the_other_work_may_be_under_the_lock() {
        let limit = |part| {
            let nanos = Work::from_nanos;
            LockedPart::new(nanos(300), nanos(1_000), nanos(part)).most_speedup(nanos(part))
        };
        let speedups = |low, high| Estimate::exactly(low).with([high]);
        assert_eq!(limit(800), speedups(800.0 / 300.0, 8.0));
        assert_eq!(limit(1_000), speedups(1_000.0 / 300.0, 1_000.0 / 300.0));
        assert_eq!(limit(600), speedups(2.0, f64::INFINITY));
        assert_eq!(limit(200), speedups(1.0, f64::INFINITY));
        // A change that makes the program slower saves nothing under the lock.
        assert_eq!(limit(1_200), speedups(4.0, 4.0));
    }

    /// No more than all of a part is under the lock, whatever the whole has there.
    #[test]
    fn a_part_is_no_less_than_its_time_under_the_lock() {
        let nanos = Work::from_nanos;
        let part = LockedPart::new(nanos(3_000), nanos(1_000), nanos(800));
        assert_eq!(part, LockedPart::exactly(nanos(800)));
    }
}
