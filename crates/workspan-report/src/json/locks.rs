//! Locks in the JSON report.

use workspan_model::LockRow;

use crate::object::{Document, object};

pub(super) fn lock(lock: &LockRow) -> impl Document {
    let places = lock.places.iter().map(|&(row, held)| {
        object! {
            /// Index into `sites`
            site: row,
            /// For how long it was held from there
            held_ns: held.time().shown(),
        }
    });
    object! {
        /// Sum over the acquisitions of what was done under the lock. No execution takes less time
        held_ns: lock.held.time().shown(),
        /// This as a share of the work
        work_share: lock.work_share,
        /// Work by this time: no number of cores makes the program more times as fast as one
        most_speedup: lock.most_speedup,
        /// How often it was acquired
        acquisitions: lock.acquisitions,
        /// How many of these took longer than a microsecond, on the threads of this run
        waits: lock.waits,
        /// How long all acquisitions took
        waited_ns: lock.waited.shown(),
        /// Where it is acquired, the place that holds it longest first
        places: places.collect::<Vec<_>>(),
    }
}
