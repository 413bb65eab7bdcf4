//! The gaps between the curves of factored speedups.

use super::times::{Compared, Times};
use super::{DerivedTime, RatioEstimate};
use crate::Nanos;

/// The least share of the cores' time that is worth naming.
const LEAST_SHARE: f64 = 0.02;

/// What speedup is lost to (Acar et al. §2.4 and §2.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostTo {
    /// The parallel program does more on one core than the sequential one, and makes tasks: gap A.
    Overhead,
    /// The parallel program does more, even with its tasks run in place: the part of gap A above the elision's curve.
    AlgorithmicOverhead,
    /// Tasks cost time on one core: the rest of gap A.
    SchedulingOverhead,
    /// Cores had nothing to do, more than the one of T_1: gap B.
    IdleTime,
    /// The same work took longer in parallel: gap C.
    WorkInflation,
    /// One of these two, where idle time was not measured: gap D.
    IdleTimeOrInflation,
}

impl LostTo {
    /// The name that files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overhead => "overhead",
            Self::AlgorithmicOverhead => "algorithmic_overhead",
            Self::SchedulingOverhead => "scheduling_overhead",
            Self::IdleTime => "idle_time",
            Self::WorkInflation => "work_inflation",
            Self::IdleTimeOrInflation => "idle_time_or_inflation",
        }
    }
}

/// A gap between two curves on a number of threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Number of threads P.
    pub threads: u32,
    /// What is lost here.
    pub lost_to: LostTo,
    /// The time of all cores that goes there; with T_s, or T_elision where there is no sequential program, and the other gaps it
    /// makes P · T_P. Gaps are ordered by it, since a gap looks the smaller the more is lost above it.
    pub time: DerivedTime,
    /// That as a share of P · T_P; below 0 where the runs vary by more than is lost.
    pub share: f64,
    /// How far the two curves are apart.
    pub speedup: RatioEstimate,
    /// Whether it is worth naming: 2% of the cores' time or more, and more than nothing within its interval.
    pub is_significant: bool,
}

/// The gaps of what `compared` holds, the most costly first. Where T_s is T_1, for lack of a baseline, what tasks cost needs
/// T_elision, or shows only as far as T_1^P exceeds T_1.
pub(super) fn gaps(compared: &Compared<'_>, has_baseline: bool) -> Vec<Gap> {
    type Formula = fn(&Times) -> f64;
    let mut formulas: Vec<(LostTo, Formula, Formula)> = Vec::new();
    if compared.elision.is_some() {
        if has_baseline {
            formulas.push((
                LostTo::AlgorithmicOverhead,
                |times| times.elision - times.baseline,
                |times| times.threads - times.elision_speedup(),
            ));
        }
        formulas.push((
            LostTo::SchedulingOverhead,
            |times| times.one - times.elision,
            |times| times.elision_speedup() - times.maximal(),
        ));
    } else if !std::ptr::eq(compared.baseline, compared.one) {
        formulas.push((
            LostTo::Overhead,
            |times| times.one - times.baseline,
            |times| times.threads - times.maximal(),
        ));
    }
    if compared.with_idle.is_some() {
        formulas.push((LostTo::IdleTime, Times::more_idle, |times| {
            times.maximal() - times.idle_specific()
        }));
        formulas.push((LostTo::WorkInflation, Times::inflation, |times| {
            times.maximal() - times.inflation_specific()
        }));
    } else {
        formulas.push((LostTo::IdleTimeOrInflation, Times::inflation, |times| {
            times.maximal() - times.actual()
        }));
    }
    let mut gaps: Vec<Gap> = formulas
        .into_iter()
        .filter_map(|(lost_to, time, speedup)| {
            let share = compared.estimate(|times| time(times) / times.available())?;
            Some(Gap {
                threads: compared.threads,
                lost_to,
                time: DerivedTime::of(compared.estimate(time)?),
                share: share.value,
                speedup: compared.estimate(speedup)?,
                is_significant: share.value >= LEAST_SHARE && share.low > 0.0,
            })
        })
        .collect();
    gaps.sort_by_key(|gap| std::cmp::Reverse::<Nanos>(gap.time.value));
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::bootstrap::{Measured, Sample};

    fn sample(time: f64, idle: f64) -> Sample {
        let beside = idle;
        Sample::of([Measured { time, beside }])
    }

    fn told(gaps: &[Gap]) -> Vec<(LostTo, i64, bool)> {
        let told = |gap: &Gap| (gap.lost_to, gap.time.value.as_nanos(), gap.is_significant);
        gaps.iter().map(told).collect()
    }

    /// As in `times.rs`, in thousands: 120 = 60 + 12 + 8 + 25 + 15.
    #[test]
    fn gaps_and_the_baseline_make_the_whole_time() {
        let parallel = sample(30e3, 25e3);
        let compared = Compared {
            threads: 4,
            baseline: &sample(60e3, 0.0),
            elision: Some(&sample(72e3, 0.0)),
            one: &sample(80e3, 0.0),
            parallel: &parallel,
            with_idle: Some(&parallel),
            one_with_idle: None,
        };
        let gaps = gaps(&compared, true);
        assert_eq!(
            told(&gaps),
            [
                (LostTo::IdleTime, 25_000, true),
                (LostTo::WorkInflation, 15_000, true),
                (LostTo::AlgorithmicOverhead, 12_000, true),
                (LostTo::SchedulingOverhead, 8_000, true),
            ]
        );
        assert_eq!(gaps[0].share, 25.0 / 120.0);
        // 3 − 240/105, and 4 − 240/72.
        assert!((gaps[0].speedup.value - (3.0 - 240.0 / 105.0)).abs() < 1e-12);
        assert!((gaps[2].speedup.value - (4.0 - 240.0 / 72.0)).abs() < 1e-12);
    }

    #[test]
    fn without_idle_time_or_elision_gaps_are_not_told_apart() {
        let compared = Compared {
            threads: 4,
            baseline: &sample(60e3, 0.0),
            elision: None,
            one: &sample(61e3, 0.0),
            parallel: &sample(30e3, 0.0),
            with_idle: None,
            one_with_idle: None,
        };
        assert_eq!(
            told(&gaps(&compared, true)),
            [
                (LostTo::IdleTimeOrInflation, 59_000, true),
                (LostTo::Overhead, 1_000, false),
            ]
        );
    }

    /// 120 = 72 + 8 + 25 + 15: what the tasks cost needs no sequential program.
    #[test]
    fn without_a_baseline_the_elision_tells_what_tasks_cost() {
        let one = sample(80e3, 0.0);
        let parallel = sample(30e3, 25e3);
        let elision = sample(72e3, 0.0);
        let mut compared = Compared {
            threads: 4,
            baseline: &one,
            elision: Some(&elision),
            one: &one,
            parallel: &parallel,
            with_idle: Some(&parallel),
            one_with_idle: Some(&one),
        };
        let idle_and_inflation = [
            (LostTo::IdleTime, 25_000, true),
            (LostTo::WorkInflation, 15_000, true),
        ];
        let scheduling = (LostTo::SchedulingOverhead, 8_000, true);
        assert_eq!(
            told(&gaps(&compared, false)),
            [&idle_and_inflation[..], &[scheduling]].concat()
        );
        compared.elision = None;
        assert_eq!(told(&gaps(&compared, false)), idle_and_inflation);
    }

    /// Of T_1 = 80 are 10 idle, which scheduling costs: 120 = 60 + 12 + 8 + (25 − 10) + 25.
    #[test]
    fn idle_time_on_one_thread_is_no_gap_of_its_own() {
        let one = sample(80e3, 10e3);
        let parallel = sample(30e3, 25e3);
        let compared = Compared {
            threads: 4,
            baseline: &sample(60e3, 0.0),
            elision: Some(&sample(72e3, 0.0)),
            one: &one,
            parallel: &parallel,
            with_idle: Some(&parallel),
            one_with_idle: Some(&one),
        };
        assert_eq!(
            told(&gaps(&compared, true)),
            [
                (LostTo::WorkInflation, 25_000, true),
                (LostTo::IdleTime, 15_000, true),
                (LostTo::AlgorithmicOverhead, 12_000, true),
                (LostTo::SchedulingOverhead, 8_000, true),
            ]
        );
    }

    /// A main thread that waits outside of the pool is taken to work there: then idle time is measured below nothing, on one thread
    /// as on 4, and nothing is idle for that.
    #[test]
    fn idle_time_below_nothing_is_none_that_was_waited() {
        let one = sample(8e3, -8e3);
        let parallel = sample(2e3, -2e3);
        let compared = Compared {
            threads: 4,
            baseline: &one,
            elision: None,
            one: &one,
            parallel: &parallel,
            with_idle: Some(&parallel),
            one_with_idle: Some(&one),
        };
        let gaps = gaps(&compared, false);
        let idle = gaps.iter().find(|gap| gap.lost_to == LostTo::IdleTime);
        assert!(idle.unwrap().time.value <= crate::Nanos::ZERO, "{gaps:?}");
    }
}
