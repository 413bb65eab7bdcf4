//! Confidence intervals of figures computed from means, by resampling.

use fastrand::Rng;

use super::order_statistics::CONFIDENCE;
use crate::{Estimate, Nanos};

const RESAMPLES: usize = 2000;

/// An arbitrary seed, fixed so that the same runs always give the same interval.
const SEED: u64 = 0x5ca1_ab1e;

/// What was measured in one run, or the means over several, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Measured {
    pub(super) time: f64,
    /// Another time of the same run, such as its idle time.
    pub(super) paired: f64,
}

/// The runs of one group, sorted so that their order does not matter. There is at least one.
#[derive(Clone, Debug)]
pub(super) struct Sample(Vec<Measured>);

impl Sample {
    /// The runs `measured`.
    ///
    /// # Panics
    /// If there are none.
    pub(super) fn new(measured: impl IntoIterator<Item = Measured>) -> Self {
        let mut measured: Vec<Measured> = measured.into_iter().collect();
        assert!(!measured.is_empty(), "a sample of no run has no mean");
        measured.sort_by(|one, other| {
            let by_time = one.time.total_cmp(&other.time);
            by_time.then(one.paired.total_cmp(&other.paired))
        });
        Self(measured)
    }

    /// Runs with these times and nothing else.
    pub(super) fn from_times(times: impl IntoIterator<Item = Nanos>) -> Self {
        Self::new(times.into_iter().map(|time| Measured {
            time: time.as_nanos() as f64,
            paired: 0.0,
        }))
    }

    /// The times of the runs.
    pub(super) fn times(&self) -> Vec<Nanos> {
        let times = self.0.iter().map(|run| Nanos::from_nanos_f64(run.time));
        times.collect()
    }

    pub(super) fn mean(&self) -> Measured {
        self.mean_of(self.0.iter())
    }

    /// The mean of as many runs, drawn with replacement.
    fn resampled_mean(&self, random: &mut Rng) -> Measured {
        self.mean_of((0..self.0.len()).map(|_| &self.0[random.usize(..self.0.len())]))
    }

    fn mean_of<'a>(&self, runs: impl Iterator<Item = &'a Measured>) -> Measured {
        let sum = runs.fold(Measured::default(), |sum, run| Measured {
            time: sum.time + run.time,
            paired: sum.paired + run.paired,
        });
        let count = self.0.len() as f64;
        Measured {
            time: sum.time / count,
            paired: sum.paired / count,
        }
    }
}

/// The value of `formula` for the means of `samples`, with its 95% interval; `None` if the value is
/// not finite.
///
/// Percentile bootstrap (Efron and Tibshirani §13.3): each sample is resampled separately, with
/// both times of a run kept together; the interval is the middle 95% of the values of the formula
/// for the resampled means. It is extended to include the value itself.
pub(super) fn bootstrap(
    samples: &[&Sample],
    formula: impl Fn(&[Measured]) -> f64,
) -> Option<Estimate<f64>> {
    let means: Vec<Measured> = samples.iter().map(|sample| sample.mean()).collect();
    let value = Some(formula(&means)).filter(|value| value.is_finite())?;
    let mut random = Rng::with_seed(SEED);
    let mut values: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let means: Vec<Measured> = samples
                .iter()
                .map(|sample| sample.resampled_mean(&mut random))
                .collect();
            formula(&means)
        })
        .filter(|value| value.is_finite())
        .collect();
    values.sort_by(f64::total_cmp);
    let outside = (values.len() as f64 * (1.0 - CONFIDENCE) / 2.0) as usize;
    let low = values.get(outside).map_or(value, |low| low.min(value));
    let high = values.iter().rev().nth(outside);
    Some(Estimate {
        value,
        low,
        high: high.map_or(value, |high| high.max(value)),
    })
}

/// The ratio of the mean times of two samples, `over` divided by `under`; see [`bootstrap`].
pub(super) fn ratio_of_means(over: &Sample, under: &Sample) -> Option<Estimate<f64>> {
    bootstrap(&[over, under], |means| means[0].time / means[1].time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(times: &[i64]) -> Sample {
        Sample::from_times(times.iter().copied().map(Nanos::from_nanos))
    }

    /// Two samples of two runs each, with means of 400 and 200: the ratio of means is 2, those of
    /// resampled means range from 300/300 to 500/100.
    #[test]
    fn a_ratio_of_means() {
        let ratio = bootstrap(&[&sample(&[300, 500]), &sample(&[100, 300])], |means| {
            means[0].time / means[1].time
        });
        let ratio = ratio.unwrap();
        assert_eq!(ratio.value, 2.0);
        // Each of the extremes has a probability of 1/16, so it lies within the outer 2.5% on its
        // side.
        assert_eq!((ratio.low, ratio.high), (1.0, 5.0));
    }

    /// For many runs the bootstrap agrees with the normal distribution: mean ± 1.96 s/√n.
    #[test]
    fn many_runs_agree_with_the_normal_distribution() {
        let mut random = Rng::with_seed(1);
        let times: Vec<i64> = (0..400).map(|_| 1000 + random.i64(0..1000)).collect();
        let mean = bootstrap(&[&sample(&times)], |means| means[0].time).unwrap();
        let deviation = (1000.0_f64 * 1000.0 / 12.0).sqrt();
        let half = 1.96 * deviation / 20.0;
        assert!(
            (mean.high - mean.value - half).abs() < 0.1 * half,
            "{mean:?}"
        );
        assert!(
            (mean.value - mean.low - half).abs() < 0.1 * half,
            "{mean:?}"
        );
    }

    #[test]
    fn what_has_no_value_has_no_interval() {
        assert_eq!(
            bootstrap(&[&sample(&[0])], |means| 1.0 / means[0].time),
            None
        );
    }
}
