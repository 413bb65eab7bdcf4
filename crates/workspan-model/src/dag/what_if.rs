//! The effect of changes to a program.

use super::change::Factors;
use super::{
    Change, ChangedCode, Code, Dag, DagFigures, DagTotals, Execution, LockLimit, RegionOnPath,
};
use crate::{Estimate, Scheduler, Simulation, Span, SpeedupBounds};

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
pub(crate) fn what_if_within(
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
