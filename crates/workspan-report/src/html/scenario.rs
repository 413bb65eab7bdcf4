//! What one choice of changes would give.

use serde::Serialize;
use workspan_model::{ExpectedSpeedup, Scenario};

use super::number::rounded;
use crate::object::object;

pub(super) fn scenario(scenario: &Scenario) -> impl Serialize {
    let speedup = || scenario.speedup.iter();
    let each = |figure: fn(&ExpectedSpeedup) -> f64| {
        let figures = speedup().map(figure).map(rounded);
        figures.collect::<Vec<_>>()
    };
    object! {
        // The pieces to change and the option for each, as indices.
        chosen: &scenario.chosen,
        work: scenario.work.time().shown(),
        span: scenario.span.time().shown(),
        burdened_span: scenario.burdened_span.time().shown(),
        parallelism: rounded(scenario.parallelism),
        burdened_parallelism: rounded(scenario.burdened_parallelism),
        lower: each(|speedup| speedup.bounds.lower),
        upper: each(|speedup| speedup.bounds.upper),
        predicted: speedup()
            .map(|speedup| speedup.predicted.map(rounded))
            .collect::<Vec<_>>(),
    }
}
