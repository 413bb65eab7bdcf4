//! The program's locks.

use serde::Serialize;
use workspan_model::{Analysis, LockRow};

use super::number::rounded;
use super::site_ids::SiteIds;
use crate::object::object;

/// A page holds at most this many locks, those held longest.
const MOST_LOCKS: usize = 300;

/// A page holds at most this many places of a lock.
const MOST_PLACES: usize = 20;

/// `None` if nothing was done under a lock.
pub(super) fn locks(analysis: &Analysis, ids: &SiteIds) -> Option<Vec<impl Serialize>> {
    let locks = analysis.locks.iter().take(MOST_LOCKS);
    let locks: Vec<_> = locks.map(|held| lock(held, ids)).collect();
    (!locks.is_empty()).then_some(locks)
}

fn lock(lock: &LockRow, ids: &SiteIds) -> impl Serialize {
    let places = lock.places.iter().take(MOST_PLACES);
    object! {
        held: lock.held.time().shown(),
        work_share: lock.work_share,
        most_speedup: rounded(lock.most_speedup),
        acquisitions: lock.acquisitions,
        waits: lock.waits,
        waited: lock.waited.shown(),
        // Sites that acquire it, and how long they hold it.
        places: places
            .map(|&(row, held)| (ids.of_row(row), held.time().shown()))
            .collect::<Vec<_>>(),
        // How many places are left out.
        places_hidden: lock.places.len().saturating_sub(MOST_PLACES),
    }
}
