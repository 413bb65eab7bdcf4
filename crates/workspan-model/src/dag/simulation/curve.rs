//! The predicted speedup on several numbers of cores.

use super::{CostsSource, Prediction, Scheduler, SchedulingCosts, Simulation};
use crate::dag::Levelled;
use crate::{Dag, Run, SpeedupBounds};

/// The most seeds of a [`SpeedupCurve`].
const MAX_SEEDS: u64 = 9;

/// The most vertices that may be simulated for a [`SpeedupCurve`] in all: about a second's worth,
/// at 100 to 150 ns each.
const MAX_VERTICES: u64 = 8_000_000;

/// Predicted speedups, and the assumptions behind them.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedupCurve {
    /// The scheduler.
    pub scheduler: Scheduler,
    /// The costs of scheduling.
    pub costs: SchedulingCosts,
    /// Where these costs come from.
    pub costs_source: CostsSource,
    /// One for each number of cores, in the order asked for.
    pub predictions: Vec<Prediction>,
    /// The prediction for one core, where curves begin.
    pub on_one_core: Prediction,
}

impl SpeedupCurve {
    /// The speedup of `dag` under rayon on the cores of each of `bounds`, which no prediction
    /// exceeds. If it is `levelled`, because the run may have delayed strands, the range takes in
    /// the speedups of that dag ([`Dag::levelled`]). Uses as many seeds as about a second allows, 9
    /// at most; `None` if the dag is too large for one.
    pub(crate) fn within(
        bounds: &[SpeedupBounds],
        dag: &Dag,
        levelled: Option<&Levelled<'_>>,
        run: &Run,
    ) -> Option<Self> {
        let scheduler = Scheduler::Rayon;
        let (costs, costs_source) = SchedulingCosts::from_run(run);
        let seeds_for = |dags: usize| {
            let vertices_of_all = (dag.vertices.len() * bounds.len() * dags).max(1) as u64;
            (MAX_VERTICES / vertices_of_all).min(MAX_SEEDS) as u32
        };
        // Of a dag that is too large for both, the measured one says more.
        let levelled = levelled.filter(|_| seeds_for(2) > 0);
        let seeds = seeds_for(1 + usize::from(levelled.is_some()));
        if seeds == 0 {
            return None;
        }
        let simulation = Simulation::new(dag, &costs, scheduler);
        let levelled = levelled.map(|levelled| Simulation::new(&levelled.dag(), &costs, scheduler));
        let prediction = |bounds: &SpeedupBounds| {
            let mut prediction = simulation.prediction(bounds.cores, seeds);
            if let Some(levelled) = &levelled {
                let other = levelled.prediction(bounds.cores, seeds).speedup;
                prediction.speedup = prediction.speedup.with(other.ends());
            }
            prediction.at_most(bounds.upper)
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
