//! What advised changes would give, ready to be looked at.

use std::borrow::Cow;

use super::super::{Change, Code, Dag, Execution, Goal, StrandRegionId, advise};
use super::basis::{Basis, Runs};
use super::{Computing, Scenario, ScenarioLimits};
use crate::Finding;

/// So many findings are looked at, those with the greatest gain.
const MOST_FINDINGS: usize = 2;

/// Of larger dags they would take seconds.
const MOST_VERTICES: usize = 1 << 18;

/// A change that is advised, and what it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadyScenario {
    /// Who advises it.
    pub source: ReadySource,
    /// Code that becomes parallel, as an index into [`Code::regions`], and how much.
    pub parallelised: Vec<(usize, f64)>,
    /// Whether all of that code does, in all places, so that [`what_if`](crate::what_if) can be asked the same.
    pub is_of_whole_code: bool,
    /// So many tasks of the finding's site run as one.
    pub coarsened: Option<u32>,
    /// What it gives; of the choices that there are, none is made.
    pub scenario: Scenario,
}

/// Who advises a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadySource {
    /// A finding, as an index.
    Finding(usize),
    /// [`advise`].
    Advice,
}

/// What the first of `findings` that a change of `dag` stands for would give, and then the advice that reaches `goal`. `None` if
/// the dag is too large for that.
///
/// # Panics
/// When the dag is not valid for `code`, or the findings are not of it.
pub fn ready_scenarios(
    dag: &Dag,
    code: &Code,
    findings: &[Finding],
    goal: Goal,
    execution: Execution<'_>,
    limits: ScenarioLimits,
) -> Option<Vec<ReadyScenario>> {
    if dag.vertices.len() > MOST_VERTICES {
        return None;
    }
    let work = dag.totals().work;
    let computed = |changes: &[Change]| {
        let changed = dag.with_changes(changes);
        let basis = Basis {
            dag: Cow::Borrowed(&changed),
            pieces: Vec::new(),
        };
        let runs = Runs::of(&changed, execution.cores, limits.simulated);
        Computing::of(&basis, work, execution).scenario(Vec::new(), runs)
    };
    let of_finding = |(index, finding): (usize, &Finding)| {
        let change = finding.change.as_ref()?;
        let (parallelised, is_of_whole_code) = match change {
            Change::Parallelise { code: of, factor } => {
                let regions: Vec<_> = of.parts.iter().map(|part| part.region).collect();
                code_of(code, &regions, *factor)
            }
            Change::SpeedUp { .. } | Change::Coarsen { .. } => (Vec::new(), false),
        };
        let coarsened = match change {
            Change::Coarsen { factor, .. } => Some(*factor),
            Change::Parallelise { .. } | Change::SpeedUp { .. } => None,
        };
        Some(ReadyScenario {
            source: ReadySource::Finding(index),
            parallelised,
            is_of_whole_code,
            coarsened,
            scenario: computed(std::slice::from_ref(change)),
        })
    };
    let findings = findings.iter().enumerate().filter_map(of_finding);
    let mut ready: Vec<ReadyScenario> = findings.take(MOST_FINDINGS).collect();
    let advice = advise(dag, code, goal);
    let advised = advice.advised.iter();
    let advised: Vec<_> = advised.map(|of| (of.code, of.factor)).collect();
    if !advised.is_empty() {
        ready.push(ReadyScenario {
            source: ReadySource::Advice,
            parallelised: advised,
            is_of_whole_code: true,
            coarsened: None,
            scenario: computed(&advice.changes(code)),
        });
    }
    Some(ready)
}

/// The code that strand regions are of, with the factor; and whether they are all of it.
fn code_of(code: &Code, regions: &[StrandRegionId], factor: f64) -> (Vec<(usize, f64)>, bool) {
    let mut pieces: Vec<usize> = regions
        .iter()
        .map(|&region| code.index_of(region))
        .collect();
    pieces.sort_unstable();
    pieces.dedup();
    let all: usize = pieces
        .iter()
        .map(|&piece| code.regions[piece].strand_regions.len())
        .sum();
    let parallelised = pieces.into_iter().map(|piece| (piece, factor));
    (parallelised.collect(), all == regions.len())
}
