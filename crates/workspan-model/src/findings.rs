//! Findings: numbered diagnoses of what keeps a program from being faster, each with its evidence.

mod diagnosis;
mod evidence;
mod few_tasks;
pub(crate) mod finding;
mod fine_tasks;
pub(crate) mod gain;
mod inflation_cause;
mod insufficient_parallelism;
mod over_splitting;
mod ready_changes;
mod serial_code;
mod serialised;
mod serialising_lock;
mod skewed_children;
mod steals;
mod subject;
mod what_if;

use crate::sites::construct::{constructs, rows_of_nodes};
use crate::{
    Awaited, Dag, Functions, LockRow, Nanos, NodeId, Profile, SiteRow, Span, Totals, Verdict,
};

pub use diagnosis::{Diagnosis, UnknownDiagnosis};
pub use evidence::{Evidence, InflatedCounter, Serialisation, SkewedBy};
pub use finding::Finding;
pub use gain::{EstimatedBy, Gain};
pub use inflation_cause::InflationCause;
pub use ready_changes::{ReadyChange, ReadySource, ready_changes};

use finding::{Diagnosed, LEAST_GAIN, sort_by_gain};
use gain::Expectation;
use subject::{Program, Subject};

/// The findings of `profile`, in descending order of gain; at most one per construct and one per
/// lock.
///
/// `totals`, `rows`, `locks`, `functions`, `awaited` and `verdict` are those of the profile. If the
/// task dag of the run is given, gains follow from changes to it wherever it can be changed
/// accordingly. There are no findings for a run that says nothing about speedups, or for a single
/// core.
///
/// # Panics
/// If the profile is not valid, or there are no rows.
#[expect(clippy::too_many_arguments, reason = "it weighs all that is known")]
pub fn findings(
    profile: &Profile,
    totals: &Totals,
    rows: &[SiteRow],
    locks: &[LockRow],
    functions: Option<&Functions>,
    awaited: &Awaited,
    verdict: &Verdict,
    dag: Option<&Dag>,
) -> Vec<Finding> {
    let row_of_node = rows_of_nodes(profile, rows);
    let mut nodes_of_row = vec![Vec::new(); rows.len()];
    for (node, &row) in (0..).map(NodeId).zip(&row_of_node) {
        nodes_of_row[row].push(node);
    }
    let moved = rows.iter().filter(|row| row.kind.is_parallel());
    let recorded = Span::from(totals.locked.time());
    let contended = awaited.certain_lock(verdict.bounds.cores);
    let contended = contended.map_or(Span::ZERO, |lock| lock.held.into());
    // One thread at a time runs the iterator that feeds a `par_bridge`.
    let fed = awaited.bridge_held * totals.work.time().shown() as f64;
    let fed = Span::from(Nanos::from_nanos_f64(fed));
    let program = Program {
        profile,
        totals,
        rows,
        constructs: constructs(profile, rows),
        row_of_node,
        nodes_of_row,
        moves_on_span: moved.map(|row| row.on_span.count).sum(),
        functions,
        cores: verdict.bounds.cores,
        locked: recorded.max(contended).max(fed),
        waits_most: awaited.row,
        for_children: awaited.children.unwrap_or_default(),
        for_serial_children: (awaited.serial_children.as_ref())
            .map(|children| children.waited)
            .unwrap_or_default(),
        dag,
    };
    if !verdict.limit.tells_speedups() || program.cores < 2 {
        return Vec::new();
    }
    let now = program.expectation();
    let subjects = (0..rows.len()).filter_map(|row| program.subject(row));
    let mut findings: Vec<Finding> = subjects
        .filter_map(|subject| first_finding(&subject, now))
        .collect();
    findings.extend(serialising_lock::findings(&program, locks));
    sort_by_gain(&mut findings);
    findings
}

/// The diagnoses, in descending order of how precisely they name the cause.
const DIAGNOSES: [fn(&Subject<'_>) -> Option<Diagnosed>; 10] = [
    serialised::diagnose,
    skewed_children::diagnose_depth,
    over_splitting::diagnose,
    fine_tasks::diagnose,
    steals::diagnose,
    few_tasks::diagnose,
    skewed_children::diagnose_pieces,
    skewed_children::diagnose_threads,
    serial_code::diagnose,
    insufficient_parallelism::diagnose,
];

/// The first diagnosis of a subject whose change is worthwhile by the bounds. By the dag it may
/// bring less: if another path is about as long, both have to be shortened.
fn first_finding(subject: &Subject<'_>, now: Expectation) -> Option<Finding> {
    let cores = subject.program.cores;
    let (evidence, after, by_bounds) = DIAGNOSES.iter().find_map(|diagnose| {
        let (evidence, after) = diagnose(subject)?;
        let gain = Gain::new(now, after, cores, EstimatedBy::Bounds);
        (gain.factor.value >= LEAST_GAIN).then_some((evidence, after, gain))
    })?;
    let by_dag = subject.program.dag.and_then(|dag| {
        let change = what_if::change(subject, &evidence, dag)?;
        let after = what_if::expectation(subject, &change, after, dag)?;
        Some((change, Gain::new(now, after, cores, EstimatedBy::WhatIf)))
    });
    let (change, gain) = match by_dag {
        Some((change, gain)) => (Some(change), gain),
        None => (None, by_bounds),
    };
    Some(Finding {
        row: subject.index,
        within: subject.construct.longest_within,
        function: subject.function(&evidence),
        evidence,
        gain,
        change,
    })
}

#[cfg(test)]
mod tests;
