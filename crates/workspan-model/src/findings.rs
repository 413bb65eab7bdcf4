//! Findings: numbered diagnoses of what keeps a program from being faster, each with its evidence.

mod diagnosis;
mod evidence;
mod few_tasks;
mod fine_tasks;
mod gain;
mod inflated;
mod insufficient_parallelism;
mod over_splitting;
mod serial_code;
mod serialised;
mod serialising_lock;
mod skewed_children;
mod steals;
mod subject;
mod what_if;

use std::cmp::Ordering;

use crate::construct::{constructs, rows_of_nodes};
use crate::{Change, Dag, Functions, Limit, LockRow, NodeId, Profile, SiteRow, Totals, Verdict};

pub use diagnosis::{Diagnosis, UnknownDiagnosis};
pub use evidence::{Evidence, InflatedCounter, Serialisation, SkewedBy};
pub use gain::{Estimate, Gain};
pub(crate) use inflated::findings as inflated;

use gain::Expectation;
use subject::{Program, Subject};

/// A change that promises less than this is not worth telling: it is what figures vary by from run to run.
pub(crate) const LEAST_GAIN: f64 = 1.1;

/// A diagnosis that a profile shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The figures of this profile that show it.
    pub evidence: Evidence,
    /// Where: the site, as an index into the site rows.
    pub row: usize,
    /// The function or region within the site's code that runs most of its span, as an index into the site rows, where
    /// calls were measured or regions named.
    pub within: Option<usize>,
    /// The function that the span is made of, as an index into the rows of functions, where samples tell.
    pub function: Option<usize>,
    /// What the change can bring.
    pub gain: Gain,
    /// The change of the task dag that stands for what is to be done, where the gain is of that.
    pub change: Option<Change>,
}

impl Finding {
    /// What was diagnosed.
    pub const fn diagnosis(&self) -> Diagnosis {
        self.evidence.diagnosis()
    }
}

/// The findings of `profile`, the greatest gain first; at most one a site.
///
/// `totals`, `rows`, `functions` and `verdict` are those of the profile. With the task dag of the run, gains are what
/// changes to it bring, where it can be changed so. Of a program that ran as one strand, and for one core, there are
/// none.
///
/// # Panics
/// When the profile is not valid, or there are no rows.
pub fn findings(
    profile: &Profile,
    totals: &Totals,
    rows: &[SiteRow],
    locks: &[LockRow],
    functions: Option<&Functions>,
    verdict: &Verdict,
    dag: Option<&Dag>,
) -> Vec<Finding> {
    let row_of_node = rows_of_nodes(profile, rows);
    let mut nodes_of_row = vec![Vec::new(); rows.len()];
    for (node, &row) in (0..).map(NodeId).zip(&row_of_node) {
        nodes_of_row[row].push(node);
    }
    let moved = rows.iter().filter(|row| row.kind.is_parallel());
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
    };
    if verdict.limit == Limit::OneStrand || program.cores < 2 {
        return Vec::new();
    }
    let now = program.expectation();
    let subjects = (0..rows.len()).filter_map(|row| program.subject(row));
    let mut findings: Vec<Finding> = subjects
        .filter_map(|subject| first_of(&subject, now, dag))
        .collect();
    findings.extend(serialising_lock::findings(&program, locks));
    findings.sort_by(|one, other| {
        let by_gain = other.gain.factor().partial_cmp(&one.gain.factor());
        by_gain
            .unwrap_or(Ordering::Equal)
            .then(one.row.cmp(&other.row))
    });
    findings
}

/// What a diagnosis says of a subject: the figures that show it, and what is to be expected after the change.
type Diagnosed = (Evidence, Expectation);

/// The diagnoses, those that name the cause most closely first.
const DIAGNOSES: [fn(&Subject<'_>) -> Option<Diagnosed>; 9] = [
    serialised::diagnose,
    skewed_children::diagnose_depth,
    over_splitting::diagnose,
    fine_tasks::diagnose,
    steals::diagnose,
    few_tasks::diagnose,
    skewed_children::diagnose_pieces,
    serial_code::diagnose,
    insufficient_parallelism::diagnose,
];

/// The first diagnosis of a subject whose change is worth while by the bounds. By the dag it may bring less: where another
/// path is about as long, both have to be shortened.
fn first_of(subject: &Subject<'_>, now: Expectation, dag: Option<&Dag>) -> Option<Finding> {
    let cores = subject.program.cores;
    let (evidence, after, by_bounds) = DIAGNOSES.iter().find_map(|diagnose| {
        let (evidence, after) = diagnose(subject)?;
        let gain = Gain::of(now, after, cores, Estimate::Bounds);
        (gain.factor() >= LEAST_GAIN).then_some((evidence, after, gain))
    })?;
    let by_dag = dag.and_then(|dag| {
        let change = what_if::change(subject, &evidence, dag)?;
        let after = what_if::expectation(subject, &change, after, dag)?;
        Some((change, Gain::of(now, after, cores, Estimate::WhatIf)))
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
