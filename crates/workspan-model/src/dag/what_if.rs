//! The effect of changes to a program.

use super::change::Factors;
use super::{
    Change, ChangedCode, Code, Dag, DagFigures, DagTotals, Execution, Goal, LockLimit,
    RegionOnPath, advise,
};
use crate::{Estimate, Finding, Scheduler, Simulation, Span, SpeedupBounds};

/// The most vertices that may be simulated for the predictions of one dag: some seconds' worth.
const MAX_VERTICES: u64 = 24_000_000;

/// The most simulated runs per number of cores.
const MAX_SEEDS: u32 = 5;

/// A program before and after changes.
#[derive(Clone, Debug, PartialEq)]
pub struct WhatIf {
    /// The unchanged program.
    pub before: DagFigures,
    /// The changed program.
    pub after: DagFigures,
    /// For each change, the share of the critical path that is in the code that it changes; `None`
    /// for a change of tasks.
    pub shares: Vec<Option<f64>>,
    /// The speedups on each number of cores, in the order asked for.
    pub speedup: Vec<SpeedupChange>,
    /// How far `after` may be off because samples show only roughly which part of the strands the
    /// code is; `None` if no change rests on samples.
    pub range: Option<WhatIfRange>,
    /// How far locks limit the speedups; `None` if there are none.
    pub lock: Option<LockLimit>,
}

/// The changed program if the code is as small and as large a part of the strands as the samples
/// allow. Its share of the span and its share of the work are each within the limits with a
/// confidence of 95%.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WhatIfRange {
    /// Its span.
    pub span: Estimate<Span>,
    /// Its burdened span.
    pub burdened_span: Estimate<Span>,
    /// Its parallelism.
    pub parallelism: Estimate<f64>,
}

/// Speedups on a number of cores. All are over the unchanged program on one core, so that less work
/// shows, too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedupChange {
    /// Number of cores P.
    pub cores: u32,
    /// The unchanged program's.
    pub before: ExpectedSpeedup,
    /// The changed program's.
    pub after: ExpectedSpeedup,
}

/// A speedup, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedSpeedup {
    /// Its bounds.
    pub bounds: SpeedupBounds,
    /// The median of simulated runs; `None` if they would take too long.
    pub predicted: Option<f64>,
}

/// What `changes` would make of the program under rayon.
///
/// # Panics
/// If the dag is invalid, or `code` belongs to another dag.
pub fn what_if(dag: &Dag, code: &Code, changes: &[Change], execution: Execution<'_>) -> WhatIf {
    what_if_within(dag, code, changes, execution, MAX_VERTICES)
}

/// As [`what_if`], with at most so many vertices simulated for each of the two speedups.
pub(super) fn what_if_within(
    dag: &Dag,
    code: &Code,
    changes: &[Change],
    execution: Execution<'_>,
    simulated: u64,
) -> WhatIf {
    let changed = dag.with_changes(changes);
    let (before, after) = (DagFigures::new(dag, code), DagFigures::new(&changed, code));
    let work = |figures: &DagFigures| figures.work.time().as_nanos().max(1) as f64;
    let gain = work(&before) / work(&after);
    let [speedup_before, speedup_after] =
        [(dag, &before, 1.0), (&changed, &after, gain)].map(|(dag, figures, gain)| {
            let most = execution.most_speedup(before.work, figures.work);
            expected(dag, execution, most, gain, simulated)
        });
    let both = execution
        .cores
        .iter()
        .zip(speedup_before.into_iter().zip(speedup_after));
    let path = dag.critical_path();
    let parts = dag.regions_on(&path);
    let share = |change: &Change| {
        let shares = change.code()?.shares_of_span(dag);
        let of_code = |part: &RegionOnPath| part.span as f64 * shares[part.region.index()];
        let span: f64 = parts.iter().map(of_code).sum();
        Some(span.max(0.0) / path.span.max(1) as f64)
    };
    let speedup = both.map(|(&cores, (before, after))| SpeedupChange {
        cores,
        before,
        after,
    });
    WhatIf {
        shares: changes.iter().map(share).collect(),
        speedup: speedup.collect(),
        range: range(dag, changes, &changed),
        lock: execution.lock_limit(dag, before.work, after.work),
        before,
        after,
    }
}

fn range(dag: &Dag, changes: &[Change], changed: &Dag) -> Option<WhatIfRange> {
    let mut codes = changes.iter().filter_map(Change::code);
    if !codes.any(|code| code.estimate.is_some()) {
        return None;
    }
    let with = |end: fn(&ChangedCode) -> ChangedCode| {
        let changes: Vec<Change> = changes.iter().map(|change| change.with_code(end)).collect();
        dag.with_changes(&changes).totals()
    };
    let changed = changed.totals();
    let all = [with(ChangedCode::at_least), with(ChangedCode::at_most)];
    let span = |figure: fn(&DagTotals) -> i64| {
        let ticks = Estimate::exactly(figure(&changed)).with(all.iter().map(figure));
        ticks.map(|ticks| Span::from(dag.time_of(ticks)))
    };
    let parallelism = |totals: &DagTotals| totals.parallelism().unwrap_or(1.0);
    Some(WhatIfRange {
        span: span(|totals| totals.span),
        burdened_span: span(|totals| totals.burdened_span),
        parallelism: Estimate::exactly(parallelism(&changed)).with(all.iter().map(parallelism)),
    })
}

/// Speedups of `dag`, at most the `most` that locks allow, times `gain`. The predictions assume
/// that no time is saved under a lock.
fn expected(
    dag: &Dag,
    execution: Execution<'_>,
    most: Estimate<f64>,
    gain: f64,
    simulated: u64,
) -> Vec<ExpectedSpeedup> {
    let simulation = Simulation::new(dag, execution.costs, Scheduler::Rayon);
    let seeds = simulation.affordable_seeds(execution.cores, simulated, MAX_SEEDS);
    let on = |&cores: &u32| {
        let bounds = simulation.bounds_at_most(cores, most);
        let predicted = (seeds > 0).then(|| simulation.prediction(cores, seeds).speedup.value);
        ExpectedSpeedup {
            bounds: bounds.times(gain),
            predicted: predicted.map(|speedup| speedup.min(most.low) * gain),
        }
    };
    execution.cores.iter().map(on).collect()
}

/// The largest factor that is tried. Code divided by it takes practically no time.
const MAX_FACTOR: u64 = 1 << 20;

/// The factor that reaches a target, if one does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// The smallest whole factor.
    Factor(u64),
    /// No factor does: other code is on the critical path by then.
    OutOfReach {
        /// The parallelism if the code took no time at all.
        most: f64,
    },
}

impl Until {
    /// The factor, or one that is as good as infinite if the target is out of reach.
    pub fn factor(self) -> f64 {
        match self {
            Self::Factor(factor) => factor as f64,
            Self::OutOfReach { .. } => MAX_FACTOR as f64,
        }
    }
}

impl Dag {
    /// The smallest whole factor by which all of `codes` have to become parallel for the dag to
    /// have a parallelism of at least `target`.
    ///
    /// Takes as long as some twenty calls of [`totals`](Self::totals).
    pub fn parallelised_until(&self, codes: &[ChangedCode], target: f64) -> Until {
        let mut buffer = Vec::new();
        let mut parallelism = |factor: u64| {
            let mut factors = Factors::none(self);
            for code in codes {
                factors.multiply(code, factor as f64);
            }
            let totals = self.totals_with(&mut buffer, |vertex| factors.parallelised(vertex));
            totals.parallelism().unwrap_or(f64::INFINITY)
        };
        let most = parallelism(MAX_FACTOR);
        if most < target {
            return Until::OutOfReach { most };
        }
        let (mut too_small, mut enough) = (0, MAX_FACTOR);
        while enough - too_small > 1 {
            let middle = too_small + (enough - too_small) / 2;
            if parallelism(middle) < target {
                too_small = middle;
            } else {
                enough = middle;
            }
        }
        Until::Factor(enough)
    }
}

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
