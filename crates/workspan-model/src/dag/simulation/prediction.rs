//! Predictions from several simulated runs.

use super::{Outcome, Scheduler, SchedulingCosts, Simulation};
use crate::quantity::estimate::median_index;
use crate::{Dag, Estimate, SpeedupBounds};

/// The prediction for a number of cores, from simulated runs with different seeds.
///
/// The speedup is over the recorded work on one core, where tasks cost what they cost when nobody
/// steals. A measured speedup to compare it with has to be over a plain run on one thread
/// (`RAYON_NUM_THREADS=1`), not over a program without tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Number of cores P.
    pub cores: u32,
    /// The median speedup, from the least to the greatest of all runs.
    pub speedup: Estimate<f64>,
    /// The run with the median speedup; of an even number of runs, the lesser of the two in the
    /// middle.
    pub median: Outcome,
    /// Number of runs.
    pub seeds: u32,
    /// The bounds of the same dag. No prediction exceeds the upper one.
    pub bounds: SpeedupBounds,
}

impl Simulation {
    /// How many runs on each of `cores` simulate at most `vertices` vertices together; `most` at
    /// most, and 0 if even one run each would simulate more.
    pub(crate) fn affordable_seeds(&self, cores: &[u32], vertices: u64, most: u32) -> u32 {
        let per_seed = (self.vertices() * cores.len()).max(1) as u64;
        (vertices / per_seed).min(most.into()) as u32
    }

    /// Runs the dag on `cores` cores with the seeds 0 to `seeds` - 1; with one seed at least.
    pub fn prediction(&self, cores: u32, seeds: u32) -> Prediction {
        self.prediction_with(cores, seeds, || ())
    }

    /// Like [`prediction`](Self::prediction), and calls `on_run` after each run.
    pub fn prediction_with(&self, cores: u32, seeds: u32, mut on_run: impl FnMut()) -> Prediction {
        let cores = cores.max(1);
        // On one core nothing is random.
        let seeds = if cores == 1 { 1 } else { seeds.max(1) };
        let mut outcomes: Vec<Outcome> = (0..u64::from(seeds))
            .map(|seed| self.run(cores, seed))
            .inspect(|_| on_run())
            .collect();
        outcomes.sort_by(|one, other| one.speedup.total_cmp(&other.speedup));
        let speedups = outcomes.iter().map(|outcome| outcome.speedup);
        Prediction {
            cores,
            speedup: Estimate::over_runs(speedups).expect("there is a run"),
            median: outcomes[median_index(outcomes.len())],
            seeds,
            bounds: self.bounds(cores),
        }
    }
}

impl Prediction {
    /// This prediction if the speedup is known to be `upper` at most: the dag does not show what
    /// locks serialise, and times that were measured twice may disagree.
    #[must_use]
    pub fn at_most(mut self, upper: f64) -> Self {
        self.speedup = self.speedup.map(|speedup| speedup.min(upper));
        self.bounds = self.bounds.at_most(upper);
        self
    }
}

/// Predicts the speedup of `dag` under `scheduler` on each number of cores, from `seeds` runs each.
///
/// # Panics
/// If the dag is invalid ([`Dag::check`]).
pub fn predict(
    dag: &Dag,
    costs: &SchedulingCosts,
    scheduler: Scheduler,
    cores: &[u32],
    seeds: u32,
) -> Vec<Prediction> {
    let simulation = Simulation::new(dag, costs, scheduler);
    let prediction = |&cores: &u32| simulation.prediction(cores, seeds);
    cores.iter().map(prediction).collect()
}
