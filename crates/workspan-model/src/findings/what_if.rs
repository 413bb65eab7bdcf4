//! The gain from a change according to the task dag.

use super::evidence::{Evidence, Serialisation};
use super::gain::Expectation;
use super::subject::Subject;
use crate::{Change, Dag, DagTotals, NodeId, Span, StrandRegionId, Work};

/// Tasks of this length cost next to nothing to create and are worth moving: they take some hundred
/// times as long as creating one, and about as long as moving it.
const LONG_TASK_NANOS: f64 = 10_000.0;

/// The expectation after `change`: `by_bounds`, with the work and span of the changed dag in place
/// of those that follow from the profile. `None` for a dag without work or span.
///
/// The work and span of the dag may differ a little from those of the profile, which are rounded
/// differently, so only the factors by which the change scales them are used.
pub(super) fn expectation(
    subject: &Subject<'_>,
    change: &Change,
    by_bounds: Expectation,
    dag: &Dag,
) -> Option<Expectation> {
    let changes = std::slice::from_ref(change);
    let (before, after) = (dag.totals(), dag.with_changes(changes).totals());
    let now = subject.program.expectation();
    let part = |figure: fn(&DagTotals) -> i64| {
        let (before, after) = (figure(&before), figure(&after));
        (before > 0).then(|| after.max(0) as f64 / before as f64)
    };
    let work = now.work.time().shown() as f64 * part(|totals| totals.work)?;
    let span = now.burdened_span.time().shown() as f64 * part(|totals| totals.burdened_span)?;
    Some(Expectation {
        work: Work::from_nanos(work.round() as i64),
        burdened_span: Span::from_nanos(span.round() as i64),
        ..by_bounds
    })
}

/// The change of the dag that the evidence calls for; `None` if no change represents it.
pub(super) fn change(subject: &Subject<'_>, evidence: &Evidence, dag: &Dag) -> Option<Change> {
    let cores = f64::from(subject.program.cores);
    match *evidence {
        Evidence::InsufficientParallelism { .. }
        | Evidence::SerialCode { .. }
        | Evidence::Serialised(Serialisation::Bridge { .. }) => {
            Some(parallelised(subject, dag, cores))
        }
        Evidence::FewTasks { tasks, .. } => Some(parallelised(subject, dag, cores / tasks)),
        Evidence::FineTasks { task, .. } | Evidence::OverSplitting { task, .. } => {
            let factor = (long_task(subject)? / task.shown().max(1) as f64).ceil();
            // A broadcast or a team has one task per thread. The cost of tasks is not part of the
            // work.
            (factor >= 2.0 && !subject.row.kind.is_of_threads()).then(|| Change::Coarsen {
                sites: subject.row.sites.clone(),
                factor: factor as u32,
                cost: 0,
            })
        }
        Evidence::SkewedChildren(_)
        | Evidence::ManySteals { .. }
        | Evidence::SerialisingLock { .. }
        | Evidence::Inflated { .. }
        | Evidence::Serialised(Serialisation::Waits { .. }) => None,
    }
}

/// How long a task has to be, in nanoseconds or events. In events, it has to take as long as moving
/// it, which is the burden, if that is known.
fn long_task(subject: &Subject<'_>) -> Option<f64> {
    let run = &subject.program.profile.run;
    if run.metric.is_time() {
        return Some(LONG_TASK_NANOS);
    }
    Some(run.burden.shown() as f64).filter(|&burden| burden > 0.0)
}

/// Parallelises the code that the construct runs itself, including functions and regions in it.
fn parallelised(subject: &Subject<'_>, dag: &Dag, factor: f64) -> Change {
    let (profile, row_of_node) = (subject.program.profile, &subject.program.row_of_node);
    let is_own = |mut id: NodeId| {
        let node = |id: NodeId| &profile.tree[id.index()];
        while let Some(parent) = node(id).parent
            && profile.site_of(node(id)).kind.is_serial()
        {
            id = parent;
        }
        row_of_node[id.index()] == subject.index
    };
    let regions = (0..).map(StrandRegionId).zip(&dag.regions);
    let own = regions.filter(|(_, region)| is_own(region.node));
    Change::Parallelise {
        code: own.map(|(id, _)| id).collect::<Vec<_>>().into(),
        factor,
    }
}
