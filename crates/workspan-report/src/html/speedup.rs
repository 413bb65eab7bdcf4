//! The speedup on numbers of cores.

use serde::Serialize;
use workspan_model::{Analysis, ExpectedScaling, Profile};

use crate::sentences;

#[derive(Serialize)]
pub(super) struct SpeedupView {
    /// Cores, lower and upper bound.
    bounds: Vec<(u32, f64, f64)>,
    /// Cores, and the median, least and most of simulated runs.
    predicted: Vec<(u32, f64, f64, f64)>,
    /// What the prediction rests on.
    prediction: Option<String>,
    assumed_cores: u32,
}

impl SpeedupView {
    pub(super) fn of(profile: &Profile, analysis: &Analysis) -> Self {
        let expected = ExpectedScaling::of_profile(profile, analysis);
        let curve = analysis.predicted.as_ref();
        Self {
            bounds: expected
                .bounds
                .iter()
                .map(|bounds| (bounds.cores, bounds.lower, bounds.upper))
                .collect(),
            predicted: curve
                .map(|curve| &curve.on_one_core)
                .into_iter()
                .chain(&expected.predictions)
                .map(|prediction| {
                    let median = prediction.median.speedup;
                    (prediction.cores, median, prediction.least, prediction.most)
                })
                .collect(),
            prediction: curve.map(|curve| sentences::predicted(curve, analysis)),
            assumed_cores: profile.run.assumed_cores,
        }
    }
}
