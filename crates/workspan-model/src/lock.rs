//! Locks of the program: what is done under one is done by one thread after the other.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::{Nanos, ParallelismInterval, Profile, SiteId, SiteRow, Span, Work, parallelism};

/// A lock of the program, whatever it is called there: a lock, a critical section, what makes an update atomic, the order
/// of a loop's iterations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    /// Where it is acquired; each site once.
    pub uses: Vec<LockUse>,
}

/// What was done under a lock that one site has acquired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockUse {
    /// The site.
    pub site: SiteId,
    /// Sum over the acquisitions of how much longer the holder's path was at the release. Waiting for other locks and for
    /// tasks is not in it; the span of a construct that begins and ends under the lock is.
    pub held: Work,
    /// How often it was acquired.
    pub acquisitions: u64,
    /// How many of these had to wait for it.
    pub waits: u64,
    /// How long they waited, all together.
    pub waited: Nanos,
}

impl Lock {
    /// H: no execution of the program takes less time than what is done under one lock, since that is never done by two
    /// threads at once, and any schedule has to do all of it. So T_P ≥ max(T₁/P, T∞, H).
    ///
    /// That is the work law of Cilkview §2 for the one core that a lock is worth; in queueing, the utilisation law's
    /// bound by the bottleneck. The order in which threads get the lock does not matter, so it is no part of the span.
    pub fn held(&self) -> Work {
        self.uses.iter().map(|one| one.held).sum()
    }
}

/// T₁/H: by [`Lock::held`], no speedup over one core exceeds it. Infinite if nothing was done under the lock.
pub(crate) fn most_speedup(work: Work, held: Work) -> f64 {
    parallelism(work, Span::from(held.time())).unwrap_or(f64::INFINITY)
}

/// How much of H ([`Lock::held`]) belongs to a part of a program, or to what changes leave of it. A profile does not tell in
/// which code a lock is held: of the work beside the part, or saved, all may be done under the lock, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LockedPart {
    /// If all else is done under the lock.
    least: Work,
    /// If nothing else is.
    most: Work,
}

impl LockedPart {
    pub(crate) const fn exactly(held: Work) -> Self {
        Self {
            least: held,
            most: held,
        }
    }

    /// What `part` of the `whole` work has of `held`.
    pub(crate) fn of(held: Work, whole: Work, part: Work) -> Self {
        let beside = (whole.time() - part.time()).max(Nanos::ZERO);
        let least = (held.time() - beside).max(Nanos::ZERO);
        let most = held.min(part);
        Self {
            least: most.min(least.into()),
            most,
        }
    }

    /// What no speedup of `work` over one core exceeds: the lower end wherever the lock is held, the upper one by what is
    /// certainly done under it.
    pub(crate) fn most_speedup(self, work: Work) -> ParallelismInterval {
        let upper = most_speedup(work, self.least);
        ParallelismInterval {
            lower: most_speedup(work, self.most),
            upper: upper.is_finite().then_some(upper),
        }
    }
}

/// What the profile tells of one lock.
#[derive(Clone, Debug, PartialEq)]
pub struct LockRow {
    /// Time for which it was held ([`Lock::held`]).
    pub held: Work,
    /// This as a share of the work.
    pub work_share: f64,
    /// T₁/H: the program is no more than so many times as fast as on one core, on any number of cores.
    pub most_speedup: f64,
    /// How often it was acquired.
    pub acquisitions: u64,
    /// How many of these had to wait for it, on the threads of this run.
    pub waits: u64,
    /// How long they waited, all together.
    pub waited: Nanos,
    /// Where it is acquired, the place that holds it longest first: the site, as an index into the site rows, and how long
    /// it was held from there.
    pub places: Vec<(usize, Work)>,
}

/// A row for each lock of `profile` that was held for any time, the one that was held longest first. `rows` are those of
/// its sites.
///
/// # Panics
/// When the profile is not valid, or the rows are not its own.
pub fn lock_rows(profile: &Profile, work: Work, rows: &[SiteRow]) -> Vec<LockRow> {
    let mut locks: Vec<LockRow> = profile
        .locks
        .iter()
        .filter(|lock| lock.held() > Work::ZERO)
        .map(|lock| lock_row(lock, work, rows))
        .collect();
    locks.sort_by_key(|lock| Reverse(lock.held));
    locks
}

fn lock_row(lock: &Lock, work: Work, rows: &[SiteRow]) -> LockRow {
    let held = lock.held();
    let mut places: Vec<(usize, Work)> = Vec::new();
    for one in &lock.uses {
        let row = rows.iter().position(|row| row.sites.contains(&one.site));
        let row = row.expect("a site that a lock was acquired at has a row");
        match places.iter_mut().find(|(known, _)| *known == row) {
            Some((_, held)) => *held += one.held,
            None => places.push((row, one.held)),
        }
    }
    places.sort_by_key(|(_, held)| Reverse(*held));
    let count = |figure: fn(&LockUse) -> u64| {
        let figures = lock.uses.iter().map(figure);
        figures.fold(0, u64::saturating_add)
    };
    LockRow {
        held,
        work_share: held.time().share_of(work.time()),
        most_speedup: most_speedup(work, held),
        acquisitions: count(|one| one.acquisitions),
        waits: count(|one| one.waits),
        waited: lock.uses.iter().map(|one| one.waited).sum(),
        places,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 300 of 1,000 under the lock, and a part of 800: 100 of them are in it at least, 300 at most.
    #[test]
    fn what_is_beside_a_part_may_all_be_done_under_the_lock() {
        let of = |part| {
            let nanos = Work::from_nanos;
            LockedPart::of(nanos(300), nanos(1_000), nanos(part)).most_speedup(nanos(part))
        };
        let speedups = |lower, upper| ParallelismInterval { lower, upper };
        assert_eq!(of(800), speedups(800.0 / 300.0, Some(8.0)));
        assert_eq!(of(1_000), speedups(1_000.0 / 300.0, Some(1_000.0 / 300.0)));
        assert_eq!(of(600), speedups(2.0, None));
        assert_eq!(of(200), speedups(1.0, None));
        // A change that makes the program slower takes nothing from under the lock.
        assert_eq!(of(1_200), speedups(4.0, Some(4.0)));
    }

    /// A part has no more under the lock than it is, whatever the whole has.
    #[test]
    fn no_part_is_less_than_what_is_done_under_the_lock() {
        let nanos = Work::from_nanos;
        let part = LockedPart::of(nanos(3_000), nanos(1_000), nanos(800));
        assert_eq!(part, LockedPart::exactly(nanos(800)));
    }
}
