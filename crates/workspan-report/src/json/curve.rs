//! Predicted speedups in the JSON report.

use workspan_model::{Prediction, SpeedupCurve};

use crate::object::{Document, object};

/// A curve, and what it rests on.
pub(crate) fn speedup_curve(curve: &SpeedupCurve) -> impl Document {
    let costs = &curve.costs;
    object! {
        /// The scheduler that was simulated
        #[cfg_attr(test, schemars(extend("enum" = workspan_model::Scheduler::ALL.map(workspan_model::Scheduler::name))))]
        scheduler: curve.scheduler.name(),
        /// What scheduling was taken to cost, in nanoseconds
        costs: object! {
            /// For each task, beyond what the recorded strands have of it
            spawn_ns: costs.spawn.as_nanos(),
            /// From the push of a task until a worker that looks for work runs it
            steal_ns: costs.steal.as_nanos(),
            /// A look at a worker that has no task, while another one has
            failed_attempt_ns: costs.failed_attempt.as_nanos(),
            /// From the end of what a worker waits for until it goes on
            hand_back_ns: costs.hand_back.as_nanos(),
            /// In place of both, of a worker that is asleep
            wake_up_ns: costs.wake_up.as_nanos(),
            /// How long a worker looks for work before it falls asleep
            sleep_after_ns: costs.sleep_after.as_nanos(),
        },
        /// Where the costs come from: those of an unknown machine, measured on this one, or some given by the
        /// user
        #[cfg_attr(test, schemars(extend("enum" = workspan_model::CostsSource::ALL.map(workspan_model::CostsSource::name))))]
        costs_source: curve.costs_source.name(),
        /// Predictions
        speedup: curve.predictions.iter().map(prediction).collect::<Vec<_>>(),
    }
}

pub(crate) fn prediction(prediction: &Prediction) -> impl Document {
    let median = &prediction.median;
    object! {
        /// Number of cores
        cores: prediction.cores,
        /// Lower bound, as in `speedup`, of the dag
        lower: prediction.bounds.lower,
        /// Median speedup of the runs, over the work
        median: median.speedup,
        /// The least of a run, also of the dag whose like strands take the same time, if delays may have
        /// lengthened some
        least: prediction.least,
        /// The greatest of these
        most: prediction.most,
        /// Upper bound, as in `speedup`, of the dag
        upper: prediction.bounds.upper,
        /// How many runs were simulated
        seeds: prediction.seeds,
        /// Simulated time, in nanoseconds
        time_ns: median.time.shown(),
        /// Share of the workers' time in which they ran strands
        utilisation: median.utilisation,
        /// Time that workers spent on spawning, stealing and going on after waiting, in nanoseconds
        scheduling_ns: median.scheduling.shown(),
        /// Time in which workers had nothing to do, in nanoseconds
        idle_ns: median.idle.shown(),
        /// Time in which a sync was ready whose worker had not come back to it, in nanoseconds
        held_up_ns: median.held_up.shown(),
        /// Tasks stolen
        steals: median.steals,
        /// Attempts to steal that found nothing while there was a task, or came too late
        failed_steals: median.failed_steals,
    }
}
