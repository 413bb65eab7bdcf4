//! The program's locks.

use serde::Serialize;
use workspan_model::{Analysis, LockRow};

use super::number::{nanos, rounded};
use super::site_ids::SiteIds;

/// So many locks a page holds, those that are held longest.
const MOST_LOCKS: usize = 300;

/// So many places of a lock.
const MOST_PLACES: usize = 20;

#[derive(Serialize)]
pub(super) struct LockView {
    held: u64,
    work_share: f64,
    most_speedup: f64,
    acquisitions: u64,
    waits: u64,
    waited: u64,
    /// Sites that acquire it, and how long it is held from there.
    places: Vec<(String, u64)>,
    /// How many of these are left out.
    places_hidden: usize,
}

impl LockView {
    /// `None` if nothing was done under a lock.
    pub(super) fn all(analysis: &Analysis, ids: &SiteIds) -> Option<Vec<Self>> {
        let locks = analysis.locks.iter().take(MOST_LOCKS);
        let locks: Vec<Self> = locks.map(|lock| Self::of(lock, ids)).collect();
        (!locks.is_empty()).then_some(locks)
    }

    fn of(lock: &LockRow, ids: &SiteIds) -> Self {
        let places = lock.places.iter().take(MOST_PLACES);
        Self {
            held: nanos(lock.held.time()),
            work_share: lock.work_share,
            most_speedup: rounded(lock.most_speedup),
            acquisitions: lock.acquisitions,
            waits: lock.waits,
            waited: nanos(lock.waited),
            places: places
                .map(|&(row, held)| (ids.of_row(row).to_owned(), nanos(held.time())))
                .collect(),
            places_hidden: lock.places.len().saturating_sub(MOST_PLACES),
        }
    }
}
