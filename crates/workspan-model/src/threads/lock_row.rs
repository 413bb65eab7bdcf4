//! The figures of each lock in a profile.

use std::cmp::Reverse;

use crate::quantity::speedup::{MANY_CORES, is_sufficient};
use crate::run::lock::most_speedup;
use crate::{Lock, LockUse, Nanos, Profile, SiteRow, Work};

/// The figures of one lock.
#[derive(Clone, Debug, PartialEq)]
pub struct LockRow {
    /// Time for which it was held ([`Lock::held`]).
    pub held: Work,
    /// `held` as a share of the work.
    pub work_share: f64,
    /// T₁/H: the greatest speedup over one core that the lock allows, on any number of cores.
    pub most_speedup: f64,
    /// How often it was acquired.
    pub acquisitions: u64,
    /// How many of these had to wait for it, on the threads of this run.
    pub waits: u64,
    /// How long all acquisitions took.
    pub waited: Nanos,
    /// Where it is acquired, in descending order of how long it was held from there: the site, as
    /// an index into the site rows, and that time.
    pub places: Vec<(usize, Work)>,
}

/// Of a lock that is held for less than this at a time, recording it may be much of the time.
const LONG_HOLD: Nanos = Nanos::from_nanos(1_000);
impl LockRow {
    /// Whether it keeps half of a machine with many cores idle, however the work is divided.
    pub fn limits_many_cores(&self) -> bool {
        !is_sufficient(self.most_speedup, MANY_CORES)
    }

    /// Whether it is held so long at a time that recording it hardly adds to that.
    pub fn is_held_long(&self) -> bool {
        let acquisitions = i64::try_from(self.acquisitions).unwrap_or(i64::MAX);
        self.held.time().as_nanos() / acquisitions.max(1) >= LONG_HOLD.as_nanos()
    }
}

/// A row for each lock of `profile` that was held for any time, the longest held first. `rows` are
/// the site rows of the profile.
///
/// # Panics
/// If the profile is not valid, or the rows are not those of the profile.
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
