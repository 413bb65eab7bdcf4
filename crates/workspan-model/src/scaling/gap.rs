//! The gaps between the curves of factored speedups.

use super::times::{Compared, Times};
use crate::{Estimate, Nanos};

/// The least share of the cores' time that is worth reporting.
const LEAST_SHARE: f64 = 0.02;

named! {
    /// What speedup is lost to (Acar et al. §2.4 and §2.8).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum LostTo {
        /// The parallel program does more on one core than the sequential one, and creates tasks:
        /// gap A.
        Overhead = "overhead",
        /// The parallel program does more even with its tasks run in place: the part of gap A above
        /// the elision's curve.
        AlgorithmicOverhead = "algorithmic_overhead",
        /// Tasks cost time on one core: the rest of gap A.
        SchedulingOverhead = "scheduling_overhead",
        /// Cores had nothing to do, for longer than the single core of T_1: gap B.
        IdleTime = "idle_time",
        /// The same work took longer in parallel: gap C.
        WorkInflation = "work_inflation",
        /// Either of these two, if idle time was not measured: gap D.
        IdleTimeOrInflation = "idle_time_or_inflation",
    }
}

/// A gap between two curves on a number of threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Number of threads P.
    pub threads: u32,
    /// What is lost here.
    pub lost_to: LostTo,
    /// The time that all cores lose there. With T_s, or T_elision if there is no sequential
    /// program, and the other gaps it adds up to P · T_P. Gaps are ordered by it, since a gap
    /// between curves looks smaller the more is lost above it.
    pub time: Estimate<Nanos>,
    /// `time` as a share of P · T_P; negative if the runs vary by more than is lost.
    pub share: f64,
    /// The distance between the two curves.
    pub speedup: Estimate<f64>,
    /// Whether it is worth reporting: 2% of the cores' time or more, and above zero throughout its
    /// interval.
    pub is_significant: bool,
}

/// The gaps between the runs of `compared`, in descending order of cost. If T_s is T_1 because
/// there is no baseline, the cost of tasks is visible only with T_elision, or as far as T_1^P
/// exceeds T_1.
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
                time: compared.estimate(time)?.nanos(),
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
    use crate::scaling::estimate::{Measured, Sample};

    fn sample(time: f64, idle: f64) -> Sample {
        Sample::new([Measured { time, paired: idle }])
    }

    fn summary(gaps: &[Gap]) -> Vec<(LostTo, i64, bool)> {
        gaps.iter()
            .map(|gap| (gap.lost_to, gap.time.value.as_nanos(), gap.is_significant))
            .collect()
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
            summary(&gaps),
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
    fn without_idle_time_or_elision_gaps_are_not_separated() {
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
            summary(&gaps(&compared, true)),
            [
                (LostTo::IdleTimeOrInflation, 59_000, true),
                (LostTo::Overhead, 1_000, false),
            ]
        );
    }

    /// 120 = 72 + 8 + 25 + 15: the cost of tasks needs no sequential program.
    #[test]
    fn without_a_baseline_the_elision_shows_the_cost_of_tasks() {
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
            summary(&gaps(&compared, false)),
            [&idle_and_inflation[..], &[scheduling]].concat()
        );
        compared.elision = None;
        assert_eq!(summary(&gaps(&compared, false)), idle_and_inflation);
    }

    /// Of T_1 = 80, 10 are idle, which is a cost of scheduling: 120 = 60 + 12 + 8 + (25 − 10) + 25.
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
            summary(&gaps(&compared, true)),
            [
                (LostTo::WorkInflation, 25_000, true),
                (LostTo::IdleTime, 15_000, true),
                (LostTo::AlgorithmicOverhead, 12_000, true),
                (LostTo::SchedulingOverhead, 8_000, true),
            ]
        );
    }

    /// A main thread that waits outside of the pool counts as working there, so the measured idle
    /// time is negative, on one thread as on 4; it must not show as a gap.
    #[test]
    fn negative_idle_time_is_no_gap() {
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
