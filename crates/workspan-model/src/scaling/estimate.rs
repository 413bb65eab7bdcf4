//! A time estimated from several runs, with confidence intervals.

use fastrand::Rng;

use crate::quantity::median::{CONFIDENCE, median_of};
use crate::{Estimate, Nanos};

/// The time below which a run is little more than the start of a process.
const SHORTEST: Nanos = Nanos::from_nanos(10_000_000);

/// A time estimated from several runs, with 95% confidence intervals.
///
/// The interval of the median is exact, whatever the distribution: it lies between two runs, by
/// order statistics (Conover, "Practical Nonparametric Statistics", §3.2). This takes 6 runs; with
/// fewer it is the range of the runs, and [`median_confidence`](Self::median_confidence) says how
/// little confidence that gives.
///
/// The interval of the mean is a percentile bootstrap (Efron and Tibshirani, "An Introduction to
/// the Bootstrap", §13.3) of 2000 resamples from a fixed seed. With few runs it is too narrow: if
/// runs are normally distributed, it contains the true mean about 84 times in 100 with 5 runs, 90
/// with 10, 93 with 20. With one run it is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeEstimate {
    /// The median; for an even number of runs, halfway between the two middle ones.
    pub median: Estimate<Nanos>,
    /// The confidence of the interval of the median: at least 0.95 with 6 runs or more, less with
    /// fewer, 0 with one.
    pub median_confidence: f64,
    /// The mean.
    pub mean: Estimate<Nanos>,
    /// The number of runs.
    pub runs: u32,
}

impl TimeEstimate {
    /// Whether the runs are too short to be meaningful: less than 10 ms, which includes the start
    /// of the process.
    pub fn is_too_short(&self) -> bool {
        self.median.value < SHORTEST
    }

    /// Estimates a time from the measurements `times`, in any order; `None` if there are none.
    pub fn from_times(times: &[Nanos]) -> Option<Self> {
        let nanos = times.iter().map(|time| time.as_nanos() as f64).collect();
        let (median, median_confidence) = median_of(nanos, CONFIDENCE)?;
        let sample = Sample::from_times(times.iter().copied());
        let mean = bootstrap(&[&sample], |means| means[0].time)?;
        Some(Self {
            median: median.nanos(),
            median_confidence,
            mean: mean.nanos(),
            runs: times.len() as u32,
        })
    }

    /// Estimates a time from the runs of `sample`.
    pub(super) fn from_sample(sample: &Sample) -> Option<Self> {
        Self::from_times(&sample.times())
    }

    /// Half the width of the interval of the median, as a share of the median. `None` if there are
    /// too few runs for an interval of 95%.
    pub fn half_width(&self) -> Option<f64> {
        let is_sure = self.median_confidence >= CONFIDENCE;
        let median = self.median.map(|time| time.as_nanos() as f64);
        (is_sure && median.value > 0.0).then(|| median.half_width() / median.value)
    }
}

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

/// The elapsed times and the processor times of the same runs.
pub(super) struct RunTimes {
    pub(super) elapsed: Sample,
    pub(super) processor: Sample,
}

impl RunTimes {
    /// From both times of each run; `None` if there are none.
    pub(super) fn new(runs: impl Iterator<Item = (Nanos, Nanos)>) -> Option<Self> {
        let (elapsed, processor): (Vec<Nanos>, Vec<Nanos>) = runs.unzip();
        (!elapsed.is_empty()).then(|| Self {
            elapsed: Sample::from_times(elapsed),
            processor: Sample::from_times(processor),
        })
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
    let ends = [values.get(outside), values.iter().rev().nth(outside)];
    Some(Estimate::exactly(value).with(ends.into_iter().flatten().copied()))
}

/// The ratio of the mean times of two samples, `over` divided by `under`; see [`bootstrap`].
pub(super) fn ratio_of_means(over: &Sample, under: &Sample) -> Option<Estimate<f64>> {
    bootstrap(&[over, under], |means| means[0].time / means[1].time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(times: &[i64]) -> TimeEstimate {
        let times: Vec<Nanos> = times.iter().copied().map(Nanos::from_nanos).collect();
        TimeEstimate::from_times(&times).unwrap()
    }

    #[test]
    fn median_of_nine_runs() {
        let estimate = estimate(&[90, 10, 20, 80, 30, 70, 40, 60, 50]);
        assert_eq!(estimate.median.value.as_nanos(), 50);
        // The second and the second-to-last: 1 − 2 · (1 + 9)/512.
        assert_eq!(estimate.median.low.as_nanos(), 20);
        assert_eq!(estimate.median.high.as_nanos(), 80);
        assert_eq!(estimate.median_confidence, 1.0 - 20.0 / 512.0);
        assert_eq!(estimate.half_width(), Some(0.6));
        assert_eq!(estimate.mean.value.as_nanos(), 50);
    }

    #[test]
    fn few_runs_have_a_range() {
        let estimate = estimate(&[40, 10, 20, 30]);
        assert_eq!(estimate.median.value.as_nanos(), 25);
        assert_eq!(
            (
                estimate.median.low.as_nanos(),
                estimate.median.high.as_nanos()
            ),
            (10, 40)
        );
        assert_eq!(estimate.median_confidence, 1.0 - 2.0 / 16.0);
        assert_eq!(estimate.half_width(), None);
    }

    #[test]
    fn one_run_says_nothing_about_others() {
        let estimate = estimate(&[7]);
        assert_eq!(estimate.median_confidence, 0.0);
        for time in [
            estimate.median.low,
            estimate.median.high,
            estimate.mean.low,
            estimate.mean.high,
        ] {
            assert_eq!(time.as_nanos(), 7);
        }
        assert_eq!(TimeEstimate::from_times(&[]), None);
    }

    /// The resampled means of two runs of 0 and 100 are 0, 50, 50 or 100, all equally likely.
    #[test]
    fn the_mean_of_two_runs_may_be_either() {
        let estimate = estimate(&[0, 100]);
        assert_eq!(estimate.mean.value.as_nanos(), 50);
        assert_eq!(
            (estimate.mean.low.as_nanos(), estimate.mean.high.as_nanos()),
            (0, 100)
        );
    }
}

#[cfg(test)]
mod bootstrap_tests {
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
