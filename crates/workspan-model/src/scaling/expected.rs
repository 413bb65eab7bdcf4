//! The speedups that a profile leads one to expect in a sweep.

use crate::speedup::MOST_CORES;
use crate::{
    Analysis, ParallelismInterval, Prediction, Profile, SpeedupBounds, speedup_bounds_within,
};

/// The speedups to expect after one profiled run, for comparison with measured ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpectedScaling {
    /// Bounds on each number of cores from 1 on, and possibly on the assumed count.
    pub bounds: Vec<SpeedupBounds>,
    /// Predicted speedups, in ascending order of cores; for only some numbers of cores, or none.
    pub predictions: Vec<Prediction>,
}

impl ExpectedScaling {
    /// The bounds of a program with this parallelism on 1 to `most_cores` cores, without
    /// predictions.
    pub fn up_to(
        most_cores: u32,
        parallelism: ParallelismInterval,
        burdened_parallelism: ParallelismInterval,
    ) -> Self {
        let bounds = |cores| speedup_bounds_within(parallelism, burdened_parallelism, cores);
        Self {
            bounds: (1..=most_cores).map(bounds).collect(),
            predictions: Vec::new(),
        }
    }

    /// The bounds of `profile` on 1 to 256 cores and on the assumed count, and the predictions in
    /// its `analysis`.
    pub fn from_profile(profile: &Profile, analysis: &Analysis) -> Self {
        let totals = &analysis.totals;
        let parallelism = totals.most_speedup();
        let burdened = totals.burdened_bound();
        let mut expected = Self::up_to(MOST_CORES, parallelism, burdened);
        let assumed = profile.run.assumed_cores;
        if assumed > MOST_CORES {
            let bounds = speedup_bounds_within(parallelism, burdened, assumed);
            expected.bounds.push(bounds);
        }
        let predicted = analysis.predicted.as_ref();
        expected.predictions = predicted.map_or_else(Vec::new, |curve| curve.predictions.clone());
        expected
    }

    /// The bounds on this many cores.
    pub fn bounds_on(&self, cores: u32) -> Option<SpeedupBounds> {
        self.bounds
            .iter()
            .copied()
            .find(|bounds| bounds.cores == cores)
    }

    /// The prediction for this many cores.
    pub fn prediction_on(&self, cores: u32) -> Option<Prediction> {
        let mut predictions = self.predictions.iter().copied();
        predictions.find(|prediction| prediction.cores == cores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{analyse_with_dag, example};

    #[test]
    fn expectations_agree_with_the_analysis() {
        let (mut profile, dag) = (example::quicksort(), example::quicksort_dag());
        profile.run.assumed_cores = 300;
        let analysis = analyse_with_dag(&profile, Some(&dag));
        let expected = ExpectedScaling::from_profile(&profile, &analysis);
        assert_eq!(expected.bounds.len(), 257);
        for bounds in &analysis.speedup {
            assert_eq!(expected.bounds_on(bounds.cores), Some(*bounds));
        }
        for prediction in &analysis.predicted.unwrap().predictions {
            assert_eq!(expected.prediction_on(prediction.cores), Some(*prediction));
        }
    }
}
