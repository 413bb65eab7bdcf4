//! The predicted speedup on several numbers of cores.

use super::{Prediction, Scheduler, SchedulingCosts, Simulation};
use crate::{Dag, Run, SpeedupBounds};

/// The most seeds of a [`SpeedupCurve`].
const MOST_SEEDS: u64 = 9;

/// How many vertices may be run for a [`SpeedupCurve`] in all; about a second's worth, at 100 to 150 ns each.
const MOST_VERTICES: u64 = 8_000_000;

/// Predicted speedups, and what they rest on.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedupCurve {
    /// The scheduler.
    pub scheduler: Scheduler,
    /// What scheduling costs.
    pub costs: SchedulingCosts,
    /// Where these costs come from.
    pub costs_source: CostsSource,
    /// One for each number of cores, in the order asked for.
    pub predictions: Vec<Prediction>,
    /// That for one core, where curves begin.
    pub on_one_core: Prediction,
}

/// Where costs come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostsSource {
    /// They are those of an unknown machine.
    Typical,
    /// They were measured on the machine.
    Measured,
    /// The user gave some of them.
    Given,
    /// They are the burden of the profile, in events of its metric.
    Burden,
}

impl CostsSource {
    /// The name that files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Typical => "typical",
            Self::Measured => "measured",
            Self::Given => "given",
            Self::Burden => "burden",
        }
    }
}

impl SpeedupCurve {
    /// What rayon would make of `dag` on the cores of each of `bounds`, which no prediction exceeds: with as many seeds, 9 at
    /// most, as a second or so allows. `None` for a dag that is too large for that.
    pub(crate) fn beside(bounds: &[SpeedupBounds], dag: &Dag, run: &Run) -> Option<Self> {
        let scheduler = Scheduler::Rayon;
        let (costs, costs_source) = SchedulingCosts::of_run(run);
        let vertices_of_all = (dag.vertices.len() * bounds.len()).max(1) as u64;
        let seeds = (MOST_VERTICES / vertices_of_all).min(MOST_SEEDS) as u32;
        if seeds == 0 {
            return None;
        }
        let simulation = Simulation::new(dag, &costs, scheduler);
        let prediction = |bounds: &SpeedupBounds| {
            simulation
                .prediction(bounds.cores, seeds)
                .at_most(bounds.upper)
        };
        Some(Self {
            scheduler,
            costs,
            costs_source,
            predictions: bounds.iter().map(prediction).collect(),
            on_one_core: simulation.prediction(1, 1),
        })
    }
}
