//! What a work-stealing scheduler would make of a recorded task dag on a number of cores.
//!
//! A discrete-event simulation of randomised work stealing (Blumofe and Leiserson, "Scheduling
//! Multithreaded Computations by Work Stealing", JACM 1999, §4). A worker takes the youngest task
//! of its own deque; if it has none, it steals the oldest task of another worker. A strand takes as
//! long as in the recorded run: the simulation does not model that cores share memory, or that a
//! stolen task finds its data elsewhere.
//!
//! Time advances from event to event. Each worker has at most one event; a worker that finds
//! nothing to steal waits without any. A run therefore takes time proportional to the vertices,
//! whatever the number of cores.

mod costs;
mod curve;
mod outcome;
mod plan;
mod prediction;
mod run;
mod tasks;

use costs::CostTicks;
use plan::Plan;

use crate::{Dag, Estimate, SpeedupBounds};

pub use costs::{CostsSource, Scheduler, SchedulingCosts, UnknownScheduler};
pub use curve::SpeedupCurve;
pub use outcome::Outcome;
pub use prediction::{Prediction, predict};

/// A dag, prepared to be run on any number of cores.
#[derive(Debug)]
pub struct Simulation {
    plan: Plan,
    costs: CostTicks,
    scheduler: Scheduler,
    ticks_per_second: f64,
}

impl Simulation {
    /// Prepares `dag` to be run by `scheduler` at these costs.
    ///
    /// # Panics
    /// If the dag is invalid ([`Dag::check`]).
    pub fn new(dag: &Dag, costs: &SchedulingCosts, scheduler: Scheduler) -> Self {
        Self {
            plan: Plan::new(dag),
            costs: CostTicks::new(costs, dag.ticks_per_second),
            scheduler,
            ticks_per_second: dag.ticks_per_second,
        }
    }

    /// Runs the dag once on `cores` cores, 0 counting as 1. The same seed gives the same run.
    pub fn run(&self, cores: u32, seed: u64) -> Outcome {
        let run = run::Run::new(&self.plan, self.costs, self.scheduler, cores.max(1), seed);
        run.finish().in_nanos(self.ticks_per_second)
    }

    /// The bounds of the dag as it is simulated: negative times count as 0.
    pub fn bounds(&self, cores: u32) -> SpeedupBounds {
        self.bounds_at_most(cores, Estimate::exactly(f64::INFINITY))
    }

    /// The bounds if locks allow no more speedup than `most`.
    pub(crate) fn bounds_at_most(&self, cores: u32, most: Estimate<f64>) -> SpeedupBounds {
        self.plan.totals.bounds_at_most(cores, most)
    }

    /// How many vertices a run goes through.
    pub fn vertices(&self) -> usize {
        self.plan.vertices()
    }
}

#[cfg(test)]
mod tests;
