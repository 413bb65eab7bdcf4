//! Predicted speedups in the JSON report.

use serde::Serialize;
use workspan_model::{Prediction, SpeedupCurve};

use crate::object::object;

/// A curve, and what it rests on.
pub(crate) fn speedup_curve(curve: &SpeedupCurve) -> impl Serialize {
    let costs = &curve.costs;
    object! {
        scheduler: curve.scheduler.name(),
        costs: object! {
            spawn_ns: costs.spawn.as_nanos(),
            steal_ns: costs.steal.as_nanos(),
            failed_attempt_ns: costs.failed_attempt.as_nanos(),
            hand_back_ns: costs.hand_back.as_nanos(),
            wake_up_ns: costs.wake_up.as_nanos(),
            sleep_after_ns: costs.sleep_after.as_nanos(),
        },
        costs_source: curve.costs_source.name(),
        speedup: curve.predictions.iter().map(prediction).collect::<Vec<_>>(),
    }
}

fn prediction(prediction: &Prediction) -> impl Serialize {
    let median = &prediction.median;
    object! {
        cores: prediction.cores,
        lower: prediction.bounds.lower,
        median: median.speedup,
        least: prediction.least,
        most: prediction.most,
        upper: prediction.bounds.upper,
        seeds: prediction.seeds,
        time_ns: median.time.shown(),
        utilisation: median.utilisation,
        scheduling_ns: median.scheduling.shown(),
        idle_ns: median.idle.shown(),
        held_up_ns: median.held_up.shown(),
        steals: median.steals,
        failed_steals: median.failed_steals,
    }
}
