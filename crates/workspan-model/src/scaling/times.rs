//! The formulas of factored speedups.

use super::estimate::{Sample, bootstrap};
use crate::Estimate;

/// The means from which factored speedups on P threads are computed, in nanoseconds (Acar et al.
/// §2.1, §2.7).
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// P.
    pub(super) threads: f64,
    /// T_s.
    pub(super) baseline: f64,
    /// T_elision; T_P if it was not measured.
    pub(super) elision: f64,
    /// T_1, or T_1^P.
    pub(super) one: f64,
    /// T_P.
    pub(super) time: f64,
    /// I_P.
    pub(super) idle: f64,
    /// I_1, which T_1 contains. The paper has no such term: there, a single core never waits.
    pub(super) one_idle: f64,
}

impl Times {
    /// P · T_s/T_elision (§2.8).
    pub(super) fn elision_speedup(&self) -> f64 {
        self.threads * self.baseline / self.elision
    }

    /// P · T_s/T_1 (§2.3).
    pub(super) fn maximal(&self) -> f64 {
        self.threads * self.baseline / self.one
    }

    /// P · T_s/(T_1 + I_P − I_1) (§2.3).
    pub(super) fn idle_specific(&self) -> f64 {
        self.threads * self.baseline / (self.one + self.more_idle())
    }

    /// P · T_s/(P · T_P − I_P + I_1) (§2.3).
    pub(super) fn inflation_specific(&self) -> f64 {
        self.threads * self.baseline / (self.available() - self.more_idle())
    }

    /// T_s/T_P (§2.3).
    pub(super) fn actual(&self) -> f64 {
        self.baseline / self.time
    }

    /// I_P − I_1: the idle time that T_1 does not already contain. A single core that waits, waits
    /// for the scheduler, so I_1 is scheduling work S_1 and stays in T_1 = W_1 + S_1 (Fact 2.6).
    pub(super) fn more_idle(&self) -> f64 {
        self.idle - self.one_idle
    }

    /// F_P = (P · T_P − I_P) − (T_1 − I_1): that of Facts 2.3 and 2.8, where I_1 is 0. Both terms
    /// exclude idle time, so that F_1 is 0, as in Fact 2.2.
    pub(super) fn inflation(&self) -> f64 {
        (self.available() - self.idle) - (self.one - self.one_idle)
    }

    /// S_1 = T_1 − T_elision (§2.8) as a share of T_1.
    pub(super) fn scheduling_share(&self) -> f64 {
        (self.one - self.elision) / self.one
    }

    /// I_1 as a share of T_1.
    pub(super) fn one_idle_share(&self) -> f64 {
        self.one_idle / self.one
    }

    /// P · T_P (Fact 2.1).
    pub(super) fn available(&self) -> f64 {
        self.threads * self.time
    }
}

/// The runs of which [`Times`] are the means. The same runs may appear several times, as the same
/// reference, and are then resampled together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compared<'a> {
    pub(super) threads: u32,
    pub(super) baseline: &'a Sample,
    pub(super) elision: Option<&'a Sample>,
    pub(super) one: &'a Sample,
    pub(super) parallel: &'a Sample,
    /// Those that measured the idle time.
    pub(super) with_idle: Option<&'a Sample>,
    /// Those on one thread that measured its idle time, which is 0 if there are none.
    pub(super) one_with_idle: Option<&'a Sample>,
}

impl<'a> Compared<'a> {
    /// The value of `formula` for the means, with its interval; `None` if it is not finite.
    pub(super) fn estimate(&self, formula: impl Fn(&Times) -> f64) -> Option<Estimate<f64>> {
        let mut samples: Vec<&'a Sample> = Vec::new();
        let mut index = |sample: &'a Sample| {
            let known = samples
                .iter()
                .position(|&known| std::ptr::eq(known, sample));
            known.unwrap_or_else(|| {
                samples.push(sample);
                samples.len() - 1
            })
        };
        let [baseline, one, parallel] = [self.baseline, self.one, self.parallel].map(&mut index);
        let elision = self.elision.map_or(parallel, &mut index);
        let with_idle = self.with_idle.map_or(parallel, &mut index);
        let one_with_idle = self.one_with_idle.map(index);
        bootstrap(&samples, |means| {
            let idle_share = |sample: usize| means[sample].paired / means[sample].time;
            formula(&Times {
                threads: f64::from(self.threads),
                baseline: means[baseline].time,
                elision: means[elision].time,
                one: means[one].time,
                time: means[parallel].time,
                idle: idle_share(with_idle) * means[parallel].time,
                // Negative if the main thread waits outside of the pool and counts as working
                // there: then it says nothing about what a single core waits for.
                one_idle: one_with_idle.map_or(0.0, idle_share).max(0.0) * means[one].time,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::estimate::Measured;
    use super::*;

    /// T_s = 60, T_elision = 72, T_1 = 80, and on 4 cores T_4 = 30 with I_4 = 20: of 120, 20 are
    /// inflation. As in the paper, a single core never waits.
    const TIMES: Times = Times {
        threads: 4.0,
        baseline: 60.0,
        elision: 72.0,
        one: 80.0,
        time: 30.0,
        idle: 20.0,
        one_idle: 0.0,
    };

    #[test]
    fn formulas_of_section_2() {
        assert_eq!(TIMES.elision_speedup(), 240.0 / 72.0);
        assert_eq!(TIMES.maximal(), 3.0);
        assert_eq!(TIMES.idle_specific(), 2.4);
        assert_eq!(TIMES.inflation_specific(), 2.4);
        assert_eq!(TIMES.actual(), 2.0);
        assert_eq!(TIMES.inflation(), 20.0);
    }

    /// Fact 2.4: T_P = (T_1 + I_P + F_P)/P.
    #[test]
    fn parallel_time_is_the_sum_of_its_parts() {
        let sum = TIMES.one + TIMES.idle + TIMES.inflation();
        assert_eq!(sum / TIMES.threads, TIMES.time);
    }

    /// Of T_1 = 80, 12 are idle: 68 are work on one core, and 120 − 20 on four.
    #[test]
    fn idle_time_on_one_thread_is_not_taken_off_twice() {
        let times = Times {
            one_idle: 12.0,
            ..TIMES
        };
        assert_eq!(times.inflation(), 32.0);
        let sum = times.one + times.more_idle() + times.inflation();
        assert_eq!(sum / times.threads, times.time);
        assert_eq!(times.idle_specific(), 240.0 / 88.0);
        assert_eq!(times.inflation_specific(), 240.0 / 112.0);
        assert_eq!(times.one_idle_share(), 0.15);
        assert_eq!(times.scheduling_share(), 0.1);
    }

    /// Runs that take a quarter longer have a tenth of their cores' time idle: so have the others.
    #[test]
    fn idle_time_is_a_share() {
        let plain = Sample::from_times([crate::Nanos::from_nanos(100)]);
        let with_idle = Sample::new([Measured {
            time: 125.0,
            paired: 25.0,
        }]);
        let compared = Compared {
            threads: 2,
            baseline: &plain,
            elision: None,
            one: &plain,
            parallel: &plain,
            with_idle: Some(&with_idle),
            one_with_idle: None,
        };
        let idle = compared.estimate(|times| times.idle).unwrap();
        assert_eq!(idle.value, 20.0);
        assert_eq!(compared.estimate(Times::inflation).unwrap().value, 80.0);
    }

    #[test]
    fn on_one_thread_the_parallel_runs_are_those_on_one() {
        let sample =
            |times: &[i64]| Sample::from_times(times.iter().copied().map(crate::Nanos::from_nanos));
        let one = sample(&[70, 90]);
        let waits = Sample::new(
            [(70.0, 40.0), (95.0, 50.0)].map(|(time, paired)| Measured { time, paired }),
        );
        let compared = Compared {
            threads: 1,
            baseline: &sample(&[50, 70]),
            elision: None,
            one: &one,
            parallel: &one,
            with_idle: Some(&waits),
            one_with_idle: Some(&waits),
        };
        let inflation = compared.estimate(Times::inflation).unwrap();
        assert_eq!(inflation, Estimate::exactly(0.0));
        let actual = compared.estimate(Times::actual).unwrap();
        for curve in [
            Times::maximal,
            Times::idle_specific,
            Times::inflation_specific,
        ] {
            assert_eq!(compared.estimate(curve), Some(actual));
        }
        assert_eq!(actual.value, 0.75);
    }
}
