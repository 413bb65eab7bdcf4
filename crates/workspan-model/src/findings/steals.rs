//! WS005: tasks are stolen one by one, each with little work.

use super::evidence::Evidence;
use super::finding::Diagnosed;
use super::gain::Expectation;
use super::subject::Subject;
use crate::Nanos;

/// There are too many steals if they cost this share of the work at the run's burden.
const HIGH_COST: f64 = 0.1;

/// If a smaller share of the tasks than this was stolen, it is not in their nature: rayon's own
/// splitting moves a few out of hundreds.
const MANY: f64 = 0.1;

/// The remedy splits the tasks by repeated halving, and with them the work of handing them out,
/// which a single spawner does now.
pub(super) fn diagnose(subject: &Subject<'_>) -> Option<Diagnosed> {
    let program = subject.program;
    let (stolen, tasks) = (subject.row.on_work.stolen, subject.tasks_made());
    let time = program.times_burden(stolen as f64);
    let cost = time.share_of(program.totals.work.time());
    if cost < HIGH_COST || (stolen as f64) < MANY * tasks as f64 {
        return None;
    }
    let evidence = Evidence::ManySteals {
        stolen,
        tasks,
        task: subject.task(),
        cost,
    };
    let handing_out = subject.spawner_span().shown() as f64;
    let divided = 1.0 / f64::from(program.cores);
    let less_span = Nanos::from_nanos_f64(handing_out * (1.0 - divided));
    let now = program.expectation().with_less_span(less_span);
    let after = Expectation {
        steals: (now.steals - time).max(Nanos::ZERO),
        ..now
    };
    Some((evidence, after))
}
