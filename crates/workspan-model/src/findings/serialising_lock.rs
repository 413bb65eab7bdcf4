//! WS009: the work done under one lock keeps the program from scaling.

use super::evidence::Evidence;
use super::finding::{Finding, LEAST_GAIN};
use super::gain::{EstimatedBy, Expectation, Gain};
use super::subject::Program;
use crate::{LockRow, Span};

/// At this utilisation (P·H/T₁ of a server in queueing theory, with all cores at work), a lock is
/// found held as often as not.
const BUSY_SHARE: f64 = 0.5;

/// A finding for each lock that by itself keeps the program from using its cores. The gain is that
/// of a program without other locks: one that is held longer has its own finding, with a greater
/// gain.
pub(super) fn findings(program: &Program<'_>, locks: &[LockRow]) -> Vec<Finding> {
    let busy = locks
        .iter()
        .filter(|lock| f64::from(program.cores) / lock.most_speedup > BUSY_SHARE);
    busy.filter_map(|lock| diagnose(program, lock)).collect()
}

fn diagnose(program: &Program<'_>, lock: &LockRow) -> Option<Finding> {
    let expectation = |locked| Expectation {
        locked,
        ..program.expectation()
    };
    let gain = Gain::new(
        expectation(Span::from(lock.held.time())),
        expectation(Span::ZERO),
        program.cores,
        EstimatedBy::Bounds,
    );
    let &(row, here) = lock.places.first()?;
    (gain.factor.value >= LEAST_GAIN).then(|| Finding {
        evidence: Evidence::SerialisingLock {
            held: lock.held.time(),
            work_share: lock.work_share,
            here: here.time(),
            places: lock.places.len(),
            acquisitions: lock.acquisitions,
            waits: lock.waits,
            waited: lock.waited,
            most_speedup: lock.most_speedup,
            parallelism: program.totals.parallelism.value,
        },
        row,
        within: None,
        function: None,
        gain,
        change: None,
    })
}
