//! The predicted speedup on several numbers of cores.

use super::{CostsSource, Prediction, Scheduler, SchedulingCosts, Simulation};
use crate::dag::Levelled;
use crate::{Dag, Run, SpeedupBounds};

/// The most seeds of a [`SpeedupCurve`].
const MAX_SEEDS: usize = 9;

/// How many vertices the runs of a [`SpeedupCurve`] simulate together for each number of cores, if one
/// run of each dag has fewer: 60 to 90 ns each, so that a curve takes a quarter of a second. The speedups
/// of several runs of larger dags differ by less than 1 %.
const VERTICES: usize = 400_000;

/// The most vertices that one run of each dag may have.
const MOST_VERTICES: usize = 1_000_000;

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
    /// the speedups of that dag ([`Dag::levelled`]). Uses the fewer seeds the larger the dag is;
    /// `None` if it is too large for one.
    pub(crate) fn within(
        bounds: &[SpeedupBounds],
        dag: &Dag,
        levelled: Option<&Levelled<'_>>,
        run: &Run,
    ) -> Option<Self> {
        let scheduler = Scheduler::Rayon;
        let (costs, costs_source) = SchedulingCosts::from_run(run);
        let is_small = |vertices: usize| vertices <= MOST_VERTICES;
        let simulation =
            is_small(dag.vertices.len()).then(|| Simulation::new(dag, &costs, scheduler));
        let simulation = simulation.filter(|simulation| is_small(simulation.vertices()))?;
        // Of a dag that is too large for both, the measured one says more.
        let levelled = levelled.filter(|_| is_small(2 * simulation.vertices()));
        let dags = 1 + usize::from(levelled.is_some());
        let seeds = (VERTICES / (dags * simulation.vertices())).clamp(1, MAX_SEEDS) as u32;
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
