//! What changes to a program would give.

use super::{
    Change, ChangedCode, Code, Dag, DagFigures, DagTotals, Execution, LockLimit, RegionOnPath,
};
use crate::{ParallelismInterval, Scheduler, Simulation, Span, SpeedupBounds};

/// How many vertices may be run for the predictions of one dag, some seconds' worth.
const MOST_VERTICES: u64 = 24_000_000;

/// The most runs for a number of cores.
const MOST_SEEDS: u64 = 5;

/// A program as it is, and as it would be.
#[derive(Clone, Debug, PartialEq)]
pub struct WhatIf {
    /// As it is.
    pub before: DagFigures,
    /// As it would be.
    pub after: DagFigures,
    /// Of each change, the share of the critical path that the code has which it changes; `None` of those that change tasks.
    pub shares: Vec<Option<f64>>,
    /// What it gives on numbers of cores, in the order asked for.
    pub speedup: Vec<SpeedupChange>,
    /// How far `after` can be off because samples tell only so well which part of strands is the code; `None` where none
    /// had to.
    pub range: Option<WhatIfRange>,
    /// How far locks limit the speedups; `None` without any.
    pub lock: Option<LockLimit>,
}

/// What the changed program is like with the code as little and as much of the strands as samples allow, each with a
/// confidence of 95%: of the sampled code's share of the span, and of its share of the work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WhatIfRange {
    /// The shortest and the longest span.
    pub span: (Span, Span),
    /// The shortest and the longest burdened span.
    pub burdened_span: (Span, Span),
    /// The least and the greatest parallelism.
    pub parallelism: (f64, f64),
}

/// Speedups on a number of cores. All are against the program as it is on one core: so less work shows, too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedupChange {
    /// Number of cores P.
    pub cores: u32,
    /// As the program is.
    pub before: ExpectedSpeedup,
    /// As it would be.
    pub after: ExpectedSpeedup,
}

/// A speedup, as far as it can be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedSpeedup {
    /// Its bounds.
    pub bounds: SpeedupBounds,
    /// The median of simulated runs; `None` for dags that would take too long.
    pub predicted: Option<f64>,
}

/// What `changes` would make of the program, under rayon.
///
/// # Panics
/// When the dag is not valid.
pub fn what_if(dag: &Dag, code: &Code, changes: &[Change], execution: Execution<'_>) -> WhatIf {
    let changed = dag.with_changes(changes);
    let (before, after) = (DagFigures::of(dag, code), DagFigures::of(&changed, code));
    let work = |figures: &DagFigures| figures.work.time().as_nanos().max(1) as f64;
    let gain = work(&before) / work(&after);
    let [speedup_before, speedup_after] =
        [(dag, &before, 1.0), (&changed, &after, gain)].map(|(dag, figures, gain)| {
            let most = execution.most_speedup(before.work, figures.work);
            expected(dag, execution, most, gain)
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

/// Speedups of `dag`, of which locks allow `most`, times `gain`. A prediction takes no time to be saved under a lock.
fn expected(
    dag: &Dag,
    execution: Execution<'_>,
    most: ParallelismInterval,
    gain: f64,
) -> Vec<ExpectedSpeedup> {
    let simulation = Simulation::new(dag, execution.costs, Scheduler::Rayon);
    let vertices = (simulation.vertices() * execution.cores.len()).max(1) as u64;
    let seeds = (MOST_VERTICES / vertices).min(MOST_SEEDS) as u32;
    let of = |&cores: &u32| {
        let bounds = simulation.bounds_at_most(cores, most);
        let predicted = (seeds > 0).then(|| simulation.prediction(cores, seeds).median.speedup);
        ExpectedSpeedup {
            bounds: bounds.times(gain),
            predicted: predicted.map(|speedup| speedup.min(most.lower) * gain),
        }
    };
    execution.cores.iter().map(of).collect()
}
