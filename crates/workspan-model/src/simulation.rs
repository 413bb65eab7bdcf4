//! What a work-stealing scheduler would make of a recorded task dag on a number of cores.
//!
//! A discrete-event simulation of randomised work stealing (Blumofe and Leiserson, "Scheduling Multithreaded Computations
//! by Work Stealing", JACM 1999, §4). A worker has a deque of tasks, of which it takes the youngest; who has none steals
//! the oldest of another. What a strand takes is what it took in the recorded run: that cores share a memory, and that a
//! stolen task finds its data elsewhere, is not simulated.
//!
//! Time passes from event to event, of which each worker has one at most; who finds nothing to steal waits without any.
//! So a run takes time in proportion to the vertices, whatever the number of cores.

mod costs;
mod curve;
mod outcome;
mod plan;
mod prediction;
mod run;
mod scheduler;
mod tasks;

pub use costs::SchedulingCosts;
pub use curve::{CostsSource, SpeedupCurve};
pub use outcome::Outcome;
pub use prediction::{Prediction, predict};
pub use scheduler::{Scheduler, UnknownScheduler};

use crate::{Dag, ParallelismInterval, SpeedupBounds, speedup_bounds_within};
use costs::CostTicks;
use plan::Plan;
pub(crate) use plan::as_run;

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
    /// When the dag is not valid ([`Dag::check`]).
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

    /// The bounds of the dag as it is run: time that fell below zero counts as none.
    pub fn bounds(&self, cores: u32) -> SpeedupBounds {
        self.bounds_at_most(cores, ParallelismInterval::UNLIMITED)
    }

    /// The bounds where locks allow no more speedup than `most`.
    pub(crate) fn bounds_at_most(&self, cores: u32, most: ParallelismInterval) -> SpeedupBounds {
        let work = self.plan.work.max(1) as f64;
        let parallelism = |span: u64| ParallelismInterval::exactly(work / span.max(1) as f64);
        speedup_bounds_within(
            parallelism(self.plan.span).at_most(most),
            parallelism(self.plan.burdened_span).after(most),
            cores,
        )
    }

    /// How many vertices a run goes through.
    pub fn vertices(&self) -> usize {
        self.plan.vertices()
    }
}

#[cfg(test)]
mod tests;
