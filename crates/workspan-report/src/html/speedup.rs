//! The speedup on numbers of cores.

use serde::Serialize;
use workspan_model::{Analysis, ExpectedScaling, Profile};

use crate::object::object;
use crate::sentences;

pub(super) fn speedup(profile: &Profile, analysis: &Analysis) -> impl Serialize {
    let expected = ExpectedScaling::from_profile(profile, analysis);
    let curve = analysis.predicted.as_ref();
    let bounds = expected.bounds.iter();
    let on_one_core = curve.map(|curve| &curve.on_one_core);
    let predictions = on_one_core.into_iter().chain(&expected.predictions);
    object! {
        // Cores, lower and upper bound.
        bounds: bounds
            .map(|bounds| (bounds.cores, bounds.lower, bounds.upper))
            .collect::<Vec<_>>(),
        // Cores, and the median, least and most of simulated runs.
        predicted: predictions
            .map(|prediction| {
                let median = prediction.median.speedup;
                (prediction.cores, median, prediction.least, prediction.most)
            })
            .collect::<Vec<_>>(),
        // What the prediction rests on.
        prediction: curve.map(|curve| sentences::predicted(curve, analysis)),
        assumed_cores: profile.run.assumed_cores,
    }
}
