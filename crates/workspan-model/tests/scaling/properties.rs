//! Properties of every sweep.

use proptest::prelude::*;
use workspan_model::{
    Estimate, FactoredCurve, Nanos, RunKind, Sweep, SweepRun, bandwidth, factored, scaling,
};

use crate::sweeps::{copies, idle_run, run, sweep};

/// Runs on 1, 2 and 4 threads, whose idle time is a share of what the cores had, with or without a
/// sequential program.
fn sweeps() -> impl Strategy<Value = Sweep> {
    let times = || prop::collection::vec(1_000..1_000_000_i64, 1..8);
    let with_idle = || prop::collection::vec((1_000..1_000_000_i64, 0.0..0.9_f64), 1..8);
    let runs = (
        times(),
        times(),
        times(),
        with_idle(),
        with_idle(),
        with_idle(),
        any::<bool>(),
    );
    runs.prop_map(|(baseline, elision, plain, one, two, four, has_baseline)| {
        let kinds = [
            (RunKind::Baseline, baseline),
            (RunKind::Elision, elision),
            (RunKind::Plain, plain.clone()),
        ];
        let mut runs: Vec<SweepRun> = kinds
            .into_iter()
            .flat_map(|(kind, times)| times.into_iter().map(move |time| run(kind, 1, time)))
            .collect();
        runs.extend(plain.iter().map(|&time| run(RunKind::Plain, 2, time / 2)));
        for (order, &time) in plain.iter().enumerate() {
            runs.extend(copies(order as u32, &[time]));
            runs.extend(copies(100 + order as u32, &[time, time + 7]));
        }
        for (threads, measured) in [(1, one), (2, two), (4, four)] {
            runs.extend(measured.into_iter().map(|(time, share)| {
                let idle = (time as f64 * f64::from(threads) * share) as i64;
                idle_run(threads, time, idle)
            }));
        }
        let mut sweep = sweep(4, runs);
        if !has_baseline {
            sweep.baseline = None;
            sweep.runs.retain(|run| run.kind != RunKind::Baseline);
        }
        sweep
    })
}

fn holds_its_value(estimate: Estimate<f64>) -> bool {
    estimate.low <= estimate.value && estimate.value <= estimate.high
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn intervals_hold_the_figure(sweep in sweeps()) {
        for point in scaling(&sweep, None).points {
            let time = point.time;
            prop_assert!(time.median.low <= time.median.value && time.median.value <= time.median.high);
            prop_assert!(time.mean.low <= time.mean.value && time.mean.value <= time.mean.high);
            prop_assert!(holds_its_value(point.speedup.unwrap()));
        }
        let factored = factored(&sweep).unwrap();
        for point in &factored.points {
            let curves = FactoredCurve::ALL.map(|curve| point.speedup(curve).unwrap());
            prop_assert!(curves.into_iter().all(holds_its_value), "{curves:?}");
        }
        for gap in &factored.gaps {
            prop_assert!(gap.time.low <= gap.time.value && gap.time.value <= gap.time.high);
            prop_assert!(holds_its_value(gap.speedup));
        }
        for point in bandwidth(&sweep).unwrap().points {
            prop_assert!(holds_its_value(point.slowdown) && holds_its_value(point.throughput));
        }
    }

    /// Idle time on one thread may exceed that on several, and inflation may be negative.
    #[test]
    fn curves_are_ordered_as_in_section_2_4(sweep in sweeps()) {
        let nearly = 1.0 + 1e-9;
        for point in factored(&sweep).unwrap().points {
            let [_, _, maximal, idle, inflation, actual] =
                FactoredCurve::ALL.map(|curve| point.speedup(curve).unwrap().value);
            if point.more_idle.unwrap().value.as_nanos() > 0 {
                prop_assert!(inflation * nearly >= actual);
                prop_assert!(idle <= maximal * nearly);
            }
            if point.inflation.unwrap().value.as_nanos() > 0 {
                prop_assert!(idle * nearly >= actual);
                prop_assert!(inflation <= maximal * nearly);
            }
        }
    }

    /// What T_1 already contains is not counted again: F_1 = 0 (Fact 2.2), whatever the idle time.
    #[test]
    fn on_one_thread_there_is_no_idle_time_or_inflation(sweep in sweeps()) {
        let factored = factored(&sweep).unwrap();
        let one = &factored.points[0];
        for time in [one.more_idle.unwrap(), one.inflation.unwrap()] {
            prop_assert_eq!([time.low, time.value, time.high], [Nanos::ZERO; 3]);
        }
    }

    /// P · T_P = T_s + what is lost, or T_elision + what is lost if there is no sequential program.
    #[test]
    fn gaps_are_all_that_is_lost(sweep in sweeps()) {
        let factored = factored(&sweep).unwrap();
        let last = factored.points.last().unwrap();
        let lost: i64 = factored.gaps.iter().map(|gap| gap.time.value.as_nanos()).sum();
        let available = last.time.mean.value.as_nanos() * i64::from(last.threads);
        let needed = if factored.is_baseline_one {
            factored.elision.unwrap()
        } else {
            factored.baseline
        };
        let off = needed.mean.value.as_nanos() + lost - available;
        // Each is rounded to nanoseconds.
        prop_assert!(off.abs() <= 8, "{off}");
    }

    #[test]
    fn the_order_of_runs_changes_nothing(sweep in sweeps(), seed in any::<u64>()) {
        let mut shuffled = sweep.clone();
        let key = |run: &SweepRun| {
            let id = (run.elapsed.as_nanos() as u64) ^ (u64::from(run.order) << 40);
            id.wrapping_mul(seed | 1).rotate_left(17)
        };
        shuffled.runs.sort_by_key(key);
        prop_assert_eq!(scaling(&sweep, None), scaling(&shuffled, None));
        prop_assert_eq!(factored(&sweep), factored(&shuffled));
        prop_assert_eq!(bandwidth(&sweep), bandwidth(&shuffled));
    }
}
