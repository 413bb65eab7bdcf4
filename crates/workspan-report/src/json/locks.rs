//! Locks in the JSON report.

use serde::Serialize;
use workspan_model::{Analysis, LockRow};

#[derive(Serialize)]
pub(super) struct LockPart {
    held_ns: u64,
    work_share: f64,
    most_speedup: f64,
    acquisitions: u64,
    waits: u64,
    waited_ns: u64,
    places: Vec<PlacePart>,
}

/// Where a lock is acquired.
#[derive(Serialize)]
struct PlacePart {
    site: usize,
    held_ns: u64,
}

impl LockPart {
    pub(super) fn all(analysis: &Analysis) -> Vec<Self> {
        analysis.locks.iter().map(Self::of).collect()
    }

    fn of(lock: &LockRow) -> Self {
        Self {
            held_ns: lock.held.time().shown(),
            work_share: lock.work_share,
            most_speedup: lock.most_speedup,
            acquisitions: lock.acquisitions,
            waits: lock.waits,
            waited_ns: lock.waited.shown(),
            places: lock
                .places
                .iter()
                .map(|&(site, held)| PlacePart {
                    site,
                    held_ns: held.time().shown(),
                })
                .collect(),
        }
    }
}
