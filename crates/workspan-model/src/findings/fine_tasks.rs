//! WS002: tasks are so small that creating and moving them costs too much.

use super::evidence::Evidence;
use super::finding::Diagnosed;
use super::gain::Expectation;
use super::subject::Subject;
use crate::{Nanos, knows_tasking_costs};

/// Creating tasks costs too much from this share of the work on, which the program then loses even
/// on one core.
const HIGH_OVERHEAD: f64 = 0.1;

/// Tasks are not worth moving if less than this share of the parallelism is left by it. The verdict
/// uses the same limit.
const LEAST_BURDENED_SHARE: f64 = 0.5;

pub(super) fn diagnose(subject: &Subject<'_>) -> Option<Diagnosed> {
    if !is_costly(subject) {
        return None;
    }
    let totals = subject.program.totals;
    let evidence = Evidence::FineTasks {
        tasks: subject.tasks_made(),
        task: subject.task(),
        overhead: knows_tasking_costs(subject.program.profile).then(|| subject.overhead()),
        parallelism: totals.parallelism.value,
        burdened_parallelism: totals.burdened_parallelism.value,
    };
    Some((evidence, without_tasks(subject)))
}

/// Whether creating or moving the site's tasks costs too much.
pub(super) fn is_costly(subject: &Subject<'_>) -> bool {
    subject.row.kind.is_parallel()
        && (subject.overhead() >= HIGH_OVERHEAD || moving_limits(subject))
}

/// Whether the program lacks parallelism because tasks are moved, most of them by this site.
fn moving_limits(subject: &Subject<'_>) -> bool {
    let (program, totals) = (subject.program, subject.program.totals);
    let burden = totals.burdened_span.value.time() - totals.span.value.time();
    let own = subject.burden_on_span();
    program.lacks_parallelism()
        && totals.burdened_parallelism.value < LEAST_BURDENED_SHARE * totals.parallelism.value
        && own + own >= burden
}

/// The expectation if the same work were done in tasks so large that they cost nothing.
pub(super) fn without_tasks(subject: &Subject<'_>) -> Expectation {
    let now = subject.program.expectation();
    let steals = subject
        .program
        .times_burden(subject.row.on_work.stolen as f64);
    Expectation {
        tasking: (now.tasking - subject.row.on_work.tasking_overhead.time).max(Nanos::ZERO),
        steals: (now.steals - steals).max(Nanos::ZERO),
        ..now.with_less_span(subject.burden_on_span())
    }
}
