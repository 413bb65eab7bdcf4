//! What several simulated runs say of a number of cores.

use super::{Outcome, Scheduler, SchedulingCosts, Simulation};
use crate::{Dag, SpeedupBounds};

/// What simulated runs with different seeds say of a number of cores.
///
/// The speedup is that over the recorded work on one core, where tasks cost what they cost when nobody steals. What was
/// measured to compare it with has to be against a plain run on one thread (`RAYON_NUM_THREADS=1`), not against a program
/// without tasks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Number of cores P.
    pub cores: u32,
    /// The run whose speedup is the median; of an even number the lesser of the two in the middle.
    pub median: Outcome,
    /// The least speedup of a run.
    pub least: f64,
    /// The greatest.
    pub most: f64,
    /// How many runs there were.
    pub seeds: u32,
    /// The bounds of the same dag; no prediction is above the upper one.
    pub bounds: SpeedupBounds,
}

impl Simulation {
    /// Runs with the seeds from 0 to `seeds` on `cores` cores; with 1 at least.
    pub fn prediction(&self, cores: u32, seeds: u32) -> Prediction {
        self.prediction_with(cores, seeds, || ())
    }

    /// As [`prediction`](Self::prediction), and tells each run as soon as it has ended.
    pub fn prediction_with(&self, cores: u32, seeds: u32, mut ran: impl FnMut()) -> Prediction {
        let cores = cores.max(1);
        // On one core there is no chance.
        let seeds = if cores == 1 { 1 } else { seeds.max(1) };
        let mut outcomes: Vec<Outcome> = (0..u64::from(seeds))
            .map(|seed| self.run(cores, seed))
            .inspect(|_| ran())
            .collect();
        outcomes.sort_by(|one, other| one.speedup.total_cmp(&other.speedup));
        Prediction {
            cores,
            median: outcomes[(outcomes.len() - 1) / 2],
            least: outcomes[0].speedup,
            most: outcomes[outcomes.len() - 1].speedup,
            seeds,
            bounds: self.bounds(cores),
        }
    }
}

impl Prediction {
    /// This one where it is known that the speedup is `upper` at most: what a lock makes threads do one after the other is
    /// not in the dag, and times that were measured twice may disagree.
    #[must_use]
    pub fn at_most(mut self, upper: f64) -> Self {
        for speedup in [
            &mut self.median.speedup,
            &mut self.least,
            &mut self.most,
            &mut self.bounds.upper,
            &mut self.bounds.lower,
        ] {
            *speedup = speedup.min(upper);
        }
        self
    }
}

/// Predicts what `scheduler` makes of `dag` on each number of cores, out of `seeds` runs each.
///
/// # Panics
/// When the dag is not valid ([`Dag::check`]).
pub fn predict(
    dag: &Dag,
    costs: &SchedulingCosts,
    scheduler: Scheduler,
    cores: &[u32],
    seeds: u32,
) -> Vec<Prediction> {
    let simulation = Simulation::new(dag, costs, scheduler);
    let predictions = cores.iter();
    predictions
        .map(|&cores| simulation.prediction(cores, seeds))
        .collect()
}
