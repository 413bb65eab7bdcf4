//! Predicted speedups.

use serde::Serialize;
use workspan_model::{Prediction, SchedulingCosts, SpeedupCurve};

/// A curve, and what it rests on.
#[derive(Serialize)]
pub(crate) struct CurvePart {
    scheduler: &'static str,
    costs: CostsPart,
    costs_source: &'static str,
    speedup: Vec<PredictionPart>,
}

impl CurvePart {
    pub(crate) fn of(curve: &SpeedupCurve) -> Self {
        Self {
            scheduler: curve.scheduler.name(),
            costs: CostsPart::of(&curve.costs),
            costs_source: curve.costs_source.name(),
            speedup: curve.predictions.iter().map(PredictionPart::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct CostsPart {
    spawn_ns: f64,
    steal_ns: f64,
    failed_attempt_ns: f64,
    hand_back_ns: f64,
    wake_up_ns: f64,
    sleep_after_ns: f64,
}

impl CostsPart {
    fn of(costs: &SchedulingCosts) -> Self {
        Self {
            spawn_ns: costs.spawn.as_nanos(),
            steal_ns: costs.steal.as_nanos(),
            failed_attempt_ns: costs.failed_attempt.as_nanos(),
            hand_back_ns: costs.hand_back.as_nanos(),
            wake_up_ns: costs.wake_up.as_nanos(),
            sleep_after_ns: costs.sleep_after.as_nanos(),
        }
    }
}

#[derive(Serialize)]
struct PredictionPart {
    cores: u32,
    lower: f64,
    median: f64,
    least: f64,
    most: f64,
    upper: f64,
    seeds: u32,
    time_ns: u64,
    utilisation: f64,
    scheduling_ns: u64,
    idle_ns: u64,
    held_up_ns: u64,
    steals: u64,
    failed_steals: u64,
}

impl PredictionPart {
    fn of(prediction: &Prediction) -> Self {
        let median = &prediction.median;
        Self {
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
}
