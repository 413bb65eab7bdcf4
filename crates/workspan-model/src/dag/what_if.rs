//! What changes to a program would give.

use super::{Change, Code, Dag, DagFigures};
use crate::{Scheduler, SchedulingCosts, Simulation, SpeedupBounds};

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

/// What `changes` would make of the program, under rayon with scheduling at these costs.
///
/// # Panics
/// When the dag is not valid.
pub fn what_if(
    dag: &Dag,
    code: &Code,
    changes: &[Change],
    costs: &SchedulingCosts,
    cores: &[u32],
) -> WhatIf {
    let changed = dag.with_changes(changes);
    let (before, after) = (DagFigures::of(dag, code), DagFigures::of(&changed, code));
    let work = |figures: &DagFigures| figures.work.time().as_nanos().max(1) as f64;
    let gain = work(&before) / work(&after);
    let [speedup_before, speedup_after] =
        [(dag, 1.0), (&changed, gain)].map(|(dag, gain)| expected(dag, costs, cores, gain));
    let both = cores
        .iter()
        .zip(speedup_before.into_iter().zip(speedup_after));
    let path = dag.critical_path();
    let parts = dag.regions_on(&path);
    let share = |change: &Change| match change {
        Change::Coarsen { .. } => None,
        Change::Parallelise { regions, .. } | Change::SpeedUp { regions, .. } => {
            let of_change = parts.iter().filter(|part| regions.contains(&part.region));
            let span: i64 = of_change.map(|part| part.span).sum();
            Some(span.max(0) as f64 / path.span.max(1) as f64)
        }
    };
    let speedup = both.map(|(&cores, (before, after))| SpeedupChange {
        cores,
        before,
        after,
    });
    WhatIf {
        shares: changes.iter().map(share).collect(),
        speedup: speedup.collect(),
        before,
        after,
    }
}

/// Speedups of `dag`, times `gain`.
fn expected(dag: &Dag, costs: &SchedulingCosts, cores: &[u32], gain: f64) -> Vec<ExpectedSpeedup> {
    let simulation = Simulation::new(dag, costs, Scheduler::Rayon);
    let vertices = (simulation.vertices() * cores.len()).max(1) as u64;
    let seeds = (MOST_VERTICES / vertices).min(MOST_SEEDS) as u32;
    let of = |&cores: &u32| {
        let bounds = simulation.bounds(cores);
        let predicted = (seeds > 0).then(|| simulation.prediction(cores, seeds).median.speedup);
        ExpectedSpeedup {
            bounds: SpeedupBounds {
                lower: bounds.lower * gain,
                upper: bounds.upper * gain,
                ..bounds
            },
            predicted: predicted.map(|speedup| speedup * gain),
        }
    };
    cores.iter().map(of).collect()
}
