//! Locks in the JSON report.

use serde::Serialize;
use workspan_model::LockRow;

use crate::object::object;

pub(super) fn lock(lock: &LockRow) -> impl Serialize {
    let places = lock.places.iter().map(|&(row, held)| {
        object! {
            site: row,
            held_ns: held.time().shown(),
        }
    });
    object! {
        held_ns: lock.held.time().shown(),
        work_share: lock.work_share,
        most_speedup: lock.most_speedup,
        acquisitions: lock.acquisitions,
        waits: lock.waits,
        waited_ns: lock.waited.shown(),
        places: places.collect::<Vec<_>>(),
    }
}
