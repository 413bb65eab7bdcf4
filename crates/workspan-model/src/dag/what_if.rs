//! The effect of changes to a program.

use super::{
    Change, ChangedCode, Code, Dag, DagFigures, DagTotals, Execution, LockLimit, RegionOnPath,
};
use crate::{ParallelismInterval, Scheduler, Simulation, Span, SpeedupBounds};

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
    /// The shortest and the longest span.
    pub span: (Span, Span),
    /// The shortest and the longest burdened span.
    pub burdened_span: (Span, Span),
    /// The least and the greatest parallelism.
    pub parallelism: (f64, f64),
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
    let all = [
        with(ChangedCode::at_least),
        changed.totals(),
        with(ChangedCode::at_most),
    ];
    let span = |figure: fn(&DagTotals) -> i64| {
        let [least, most] = [all.iter().map(figure).min(), all.iter().map(figure).max()];
        let time = |ticks: Option<i64>| Span::from(dag.time_of(ticks.unwrap_or(0)));
        (time(least), time(most))
    };
    let parallelism = all.map(|totals| totals.parallelism().unwrap_or(1.0));
    Some(WhatIfRange {
        span: span(|totals| totals.span),
        burdened_span: span(|totals| totals.burdened_span),
        parallelism: (
            parallelism.into_iter().fold(f64::INFINITY, f64::min),
            parallelism.into_iter().fold(0.0, f64::max),
        ),
    })
}

/// Speedups of `dag`, at most the `most` that locks allow, times `gain`. The predictions assume
/// that no time is saved under a lock.
fn expected(
    dag: &Dag,
    execution: Execution<'_>,
    most: ParallelismInterval,
    gain: f64,
    simulated: u64,
) -> Vec<ExpectedSpeedup> {
    let simulation = Simulation::new(dag, execution.costs, Scheduler::Rayon);
    let seeds = simulation.affordable_seeds(execution.cores, simulated, MAX_SEEDS);
    let on = |&cores: &u32| {
        let bounds = simulation.bounds_at_most(cores, most);
        let predicted = (seeds > 0).then(|| simulation.prediction(cores, seeds).median.speedup);
        ExpectedSpeedup {
            bounds: bounds.times(gain),
            predicted: predicted.map(|speedup| speedup.min(most.lower) * gain),
        }
    };
    execution.cores.iter().map(on).collect()
}
