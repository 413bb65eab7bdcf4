//! The outcome of one simulated run.

use super::{CostsSource, Scheduler, SchedulingCosts, Simulation};
use crate::dag::Levelled;
use crate::{Dag, Nanos, Run, SpeedupBounds};

/// The outcome of one simulated run on P workers. P times `time` is the sum of `busy`, `scheduling`
/// and `idle`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// From the beginning of the first strand to the end of the last.
    pub time: Nanos,
    /// Time of all strands, which is the work.
    pub busy: Nanos,
    /// Time that the workers spent on spawning, on successful steals, and on continuing after a
    /// wait.
    pub scheduling: Nanos,
    /// Time in which workers had nothing to do.
    pub idle: Nanos,
    /// Work over time: the speedup over a run on one worker without any scheduling costs.
    pub speedup: f64,
    /// The share of the workers' time in which they were busy.
    pub utilisation: f64,
    /// Tasks that were stolen.
    pub steals: u64,
    /// Attempts to steal from a worker that had no tasks while another one had, and attempts that
    /// came too late.
    pub failed_steals: u64,
    /// Time in which a sync was ready but its worker had not come back to it. Only under rayon,
    /// where no other worker may continue there.
    pub held_up: Nanos,
    /// Vertices that were run.
    pub vertices: u64,
}

/// An [`Outcome`] in ticks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OutcomeTicks {
    pub(super) cores: u32,
    pub(super) time: u64,
    pub(super) busy: u64,
    pub(super) scheduling: u64,
    pub(super) idle: u64,
    pub(super) steals: u64,
    pub(super) failed_steals: u64,
    pub(super) held_up: u64,
    pub(super) vertices: u64,
}

impl OutcomeTicks {
    pub(super) fn in_nanos(self, ticks_per_second: f64) -> Outcome {
        let nanos = |ticks: u64| Nanos::from_nanos_f64(ticks as f64 * 1e9 / ticks_per_second);
        // A run that takes no time is just as fast on one worker.
        let speedup = match self.time {
            0 => 1.0,
            time => self.busy as f64 / time as f64,
        };
        Outcome {
            time: nanos(self.time),
            busy: nanos(self.busy),
            scheduling: nanos(self.scheduling),
            idle: nanos(self.idle),
            speedup,
            utilisation: match self.time {
                0 => 1.0,
                _ => speedup / f64::from(self.cores),
            },
            steals: self.steals,
            failed_steals: self.failed_steals,
            held_up: nanos(self.held_up),
            vertices: self.vertices,
        }
    }
}

/// The prediction for a number of cores, from simulated runs with different seeds.
///
/// The speedup is over the recorded work on one core, where tasks cost what they cost when nobody
/// steals. A measured speedup to compare it with has to be over a plain run on one thread
/// (`RAYON_NUM_THREADS=1`), not over a program without tasks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Number of cores P.
    pub cores: u32,
    /// The run with the median speedup; of an even number of runs, the lesser of the two in the
    /// middle.
    pub median: Outcome,
    /// The least speedup of all runs.
    pub least: f64,
    /// The greatest speedup of all runs.
    pub most: f64,
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
    /// This prediction if the speedup is known to be `upper` at most: the dag does not show what
    /// locks serialise, and times that were measured twice may disagree.
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
                let other = levelled.prediction(bounds.cores, seeds);
                prediction.least = prediction.least.min(other.least);
                prediction.most = prediction.most.max(other.most);
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
