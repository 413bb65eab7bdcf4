//! Changes that findings and advice suggest, with their effects.

use crate::dag::what_if_within;
use crate::{Change, ChangedCode, Code, Dag, Execution, Finding, Goal, WhatIf, advise};

/// How many findings are used: those with the greatest gain.
const MAX_FINDINGS: usize = 2;

/// For larger dags the computation would take seconds.
const MAX_READY_VERTICES: usize = 1 << 18;

/// How many vertices may be simulated for each of the two speedups, for the page to be there at once.
const MAX_SIMULATED: u64 = 1_500_000;

/// A suggested change, and its effect.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadyChange {
    /// What suggests it.
    pub source: ReadySource,
    /// The code that becomes parallel, as indices into [`Code::regions`] with the factors.
    pub parallelised: Vec<(usize, f64)>,
    /// Whether all of that code becomes parallel, in all places, so that
    /// [`what_if`](crate::what_if) can be asked the same.
    pub is_of_whole_code: bool,
    /// How many tasks of the finding's site become one.
    pub coarsened: Option<u32>,
    /// Its effect.
    pub what_if: WhatIf,
}

/// What suggests a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadySource {
    /// A finding, by its index.
    Finding(usize),
    /// [`advise`].
    Advice,
}

/// The changes of `dag` that the first of `findings` suggest, and then those of the advice that
/// reaches `goal`. `None` if the dag is too large.
///
/// # Panics
/// If the dag is invalid, or `code` or the findings belong to another dag.
pub fn ready_changes(
    dag: &Dag,
    code: &Code,
    findings: &[Finding],
    goal: Goal,
    execution: Execution<'_>,
) -> Option<Vec<ReadyChange>> {
    if dag.vertices.len() > MAX_READY_VERTICES {
        return None;
    }
    let effect = |changes: &[Change]| what_if_within(dag, code, changes, execution, MAX_SIMULATED);
    let of_finding = |(index, finding): (usize, &Finding)| {
        let change = finding.change.as_ref()?;
        let (mut parallelised, mut is_of_whole_code, mut coarsened) = (Vec::new(), false, None);
        match change {
            Change::Parallelise { code: part, factor } => {
                (parallelised, is_of_whole_code) = pieces_of(code, part, *factor);
            }
            Change::Coarsen { factor, .. } => coarsened = Some(*factor),
            Change::SpeedUp { .. } => {}
        }
        Some(ReadyChange {
            source: ReadySource::Finding(index),
            parallelised,
            is_of_whole_code,
            coarsened,
            what_if: effect(std::slice::from_ref(change)),
        })
    };
    let findings = findings.iter().enumerate().filter_map(of_finding);
    let mut ready: Vec<ReadyChange> = findings.take(MAX_FINDINGS).collect();
    let advice = advise(dag, code, goal);
    let advised = advice.advised.iter();
    let advised: Vec<_> = advised.map(|step| (step.code, step.factor)).collect();
    if !advised.is_empty() {
        ready.push(ReadyChange {
            source: ReadySource::Advice,
            parallelised: advised,
            is_of_whole_code: true,
            coarsened: None,
            what_if: effect(&advice.changes(code)),
        });
    }
    Some(ready)
}

/// The pieces of code that `changed` is part of, each with the factor, and whether it is all of
/// them.
fn pieces_of(code: &Code, changed: &ChangedCode, factor: f64) -> (Vec<(usize, f64)>, bool) {
    let parts = changed.parts.iter();
    let mut pieces: Vec<usize> = parts.map(|part| code.index_of(part.region)).collect();
    pieces.sort_unstable();
    pieces.dedup();
    let all: usize = pieces
        .iter()
        .map(|&piece| code.regions[piece].strand_regions.len())
        .sum();
    let parallelised = pieces.into_iter().map(|piece| (piece, factor));
    (parallelised.collect(), all == changed.parts.len())
}
