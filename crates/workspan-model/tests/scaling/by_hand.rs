//! Scaling and factored speedups, computed by hand.

use workspan_model::{
    Curvature, Estimate, Exit, ExpectedScaling, Factored, FactoredCurve, FactoredError, LostTo,
    Nanos, RunKind, RuntimeKind, SlowdownCause, SpeedupLimits, Sweep, SweepRun, bandwidth,
    factored, scaling,
};

use crate::sweeps::{copies, idle_run, run, sweep};

/// What is expected of a program of this parallelism, with or without burden.
fn expected(most_cores: u32, parallelism: f64) -> ExpectedScaling {
    let exactly = Estimate::exactly(parallelism);
    ExpectedScaling::up_to(most_cores, &SpeedupLimits::new(exactly, exactly))
}

#[test]
fn speedups_are_ratios_of_means() {
    let plain = |threads, times: [i64; 3]| times.map(|time| run(RunKind::Plain, threads, time));
    let mut runs = Vec::new();
    runs.extend(plain(1, [900, 1000, 1100]));
    runs.extend(plain(2, [500, 500, 600]));
    runs.extend(plain(4, [900, 910, 920]));
    runs.push(SweepRun {
        is_warm_up: true,
        ..run(RunKind::Plain, 2, 9_000)
    });
    runs.push(SweepRun {
        exit: Exit::Code(101),
        ..run(RunKind::Plain, 8, 1)
    });
    let expected = expected(4, 100.0);
    let scaling = scaling(&sweep(2, runs), Some(&expected));

    let [one, two, four] = scaling.points.as_slice() else {
        panic!("{scaling:?}")
    };
    assert_eq!(one.speedup.unwrap().value, 1.0);
    assert_eq!(
        (one.speedup.unwrap().low, one.speedup.unwrap().high),
        (1.0, 1.0)
    );
    assert_eq!(two.threads, 2);
    assert_eq!(two.time.median.value, Nanos::from_nanos(500));
    // 3000/1600, and half of it.
    assert!((two.speedup.unwrap().value - 1.875).abs() < 1e-12);
    assert!((two.efficiency.unwrap().value - 0.9375).abs() < 1e-12);
    assert_eq!(two.processor, Nanos::from_nanos(533));
    // 1/(1/2 + 1.7 · ½/100)
    assert!((two.bounds.unwrap().lower - 1.0 / 0.5085).abs() < 1e-12);
    assert!(!two.is_below_lower && !two.shares_cores);
    assert!(four.is_below_lower && four.shares_cores);
    assert_eq!(
        scaling.below_lower(None, None),
        [(four, vec![SlowdownCause::SharedCores])]
    );
    let [failed] = scaling.failures.as_slice() else {
        panic!("{:?}", scaling.failures)
    };
    assert_eq!((failed.threads, failed.runs), (8, 1));
    assert_eq!(failed.exit, Exit::Code(101));
}

/// Two threads that are no faster than one, which took 1 s, in a program whose lower bound is
/// nearly 2; with the processor time of both together, and what they lacked, in hundredths of a
/// second.
fn slow_on_two(processor: i64, lacked: Option<i64>) -> Sweep {
    let hundredths = |time: i64| Nanos::from_nanos(time * 10_000_000);
    let two = SweepRun {
        user: hundredths(processor),
        lacked: lacked.map(hundredths),
        ..run(RunKind::Plain, 2, 1_000_000_000)
    };
    sweep(2, vec![run(RunKind::Plain, 1, 1_000_000_000), two])
}

fn causes_of(sweep: &Sweep, factored: Option<&Factored>) -> Vec<SlowdownCause> {
    let expected = expected(2, 1000.0);
    let scaling = scaling(sweep, Some(&expected));
    let below = scaling.below_lower(factored, None);
    assert_eq!(below.len(), 1);
    below[0].1.clone()
}

#[test]
fn work_that_takes_longer_needs_more_processor_time() {
    use SlowdownCause::{Contention, FalseSharing, IdleTime, MemoryBandwidth, Waiting};
    let effects = [MemoryBandwidth, FalseSharing, Contention];
    assert_eq!(causes_of(&slow_on_two(200, Some(0)), None), effects);
    assert_eq!(causes_of(&slow_on_two(151, None), None), effects);
    // OpenMP threads may have waited for work in that time.
    let spinning = Sweep {
        runtime: Some(RuntimeKind::OpenMp),
        ..slow_on_two(200, Some(0))
    };
    let causes = [&[IdleTime][..], &effects].concat();
    assert_eq!(causes_of(&spinning, None), causes);
    // It has to explain at least half of 1 s.
    assert_eq!(
        causes_of(&slow_on_two(148, Some(0)), None),
        [IdleTime, Waiting]
    );
    assert_eq!(
        causes_of(&slow_on_two(100, None), None),
        [IdleTime, Waiting, SlowdownCause::TakenProcessors]
    );
}

#[test]
fn missing_processors_come_before_apparent_inflation() {
    use SlowdownCause::{IdleTime, TakenProcessors, Waiting};
    let taken = [TakenProcessors];
    assert_eq!(causes_of(&slow_on_two(100, Some(95)), None), taken);
    assert_eq!(causes_of(&slow_on_two(200, Some(60)), None), taken);
    // 0.4 s do not account for half of 1 s.
    assert_eq!(
        causes_of(&slow_on_two(100, Some(40)), None),
        [IdleTime, Waiting]
    );
    let factored_of = |lacked: Option<i64>| {
        let two = SweepRun {
            lacked: lacked.map(|time| Nanos::from_nanos(time * 10_000_000)),
            ..idle_run(2, 1_000_000_000, 0)
        };
        factored(&sweep(
            2,
            vec![
                run(RunKind::Baseline, 1, 1_000_000_000),
                idle_run(1, 1_000_000_000, 0),
                two,
            ],
        ))
        .unwrap()
    };
    // All of the loss looks like inflation, but is not.
    let quiet = factored_of(Some(0));
    assert_eq!(quiet.curvature, [Curvature::MemoryBottleneck]);
    assert!(!quiet.points[1].lacked_explains_inflation());
    let busy = factored_of(Some(90));
    assert_eq!(busy.curvature, []);
    assert!(busy.points[1].lacked_explains_inflation());
    // If idle time was measured, it is ruled out as a cause.
    assert_eq!(
        causes_of(&slow_on_two(100, Some(0)), Some(&quiet)),
        [Waiting]
    );
}

/// At least a quarter of 2 · 1 s explains why two threads are no faster than one.
#[test]
fn idle_time_is_the_cause_if_there_is_enough_of_it() {
    use SlowdownCause::{IdleTime, Waiting};
    let factored_of = |one: i64, idle: i64| {
        let runs = vec![
            run(RunKind::Baseline, 1, one),
            // These runs vary so much that there may be no inflation.
            idle_run(1, one / 2, 0),
            idle_run(1, one * 3 / 2, 0),
            idle_run(2, 1_000_000_000, idle),
        ];
        factored(&sweep(2, runs)).unwrap()
    };
    let cause = |factored: &Factored| causes_of(&slow_on_two(100, Some(0)), Some(factored));
    let idle = factored_of(1_000_000_000, 700_000_000);
    assert!(idle.points[1].inflation.unwrap().low < Nanos::ZERO);
    assert_eq!(cause(&idle), [IdleTime]);
    let inflated = factored_of(1_400_000_000, 20_000_000);
    assert!(inflated.points[1].inflation.unwrap().low < Nanos::ZERO);
    assert_eq!(cause(&inflated), [Waiting]);
    // Most of it is idle time, though there certainly is inflation.
    let both = vec![
        run(RunKind::Baseline, 1, 1_000_000_000),
        idle_run(1, 1_000_000_000, 0),
        idle_run(2, 1_000_000_000, 900_000_000),
    ];
    assert_eq!(cause(&factored(&sweep(2, both)).unwrap()), [IdleTime]);
    // One thread was just as idle, and no slower for it.
    let same = vec![
        run(RunKind::Baseline, 1, 1_000_000_000),
        idle_run(1, 1_000_000_000, 900_000_000),
        idle_run(2, 1_000_000_000, 900_000_000),
    ];
    assert_eq!(cause(&factored(&sweep(2, same)).unwrap()), [Waiting]);
}

/// Simultaneous copies are slower, which explains part of the program's slowdown.
#[test]
fn memory_is_the_cause_if_it_slows_down_enough() {
    use SlowdownCause::{Contention, FalseSharing, MemoryBandwidth};
    let causes = |time: i64| {
        let mut sweep = slow_on_two(200, Some(0));
        sweep.runs.extend(copies(0, &[1000]));
        sweep.runs.extend(copies(1, &[time; 2]));
        let bandwidth = bandwidth(&sweep);
        let expected = expected(2, 1000.0);
        let scaling = scaling(&sweep, Some(&expected));
        scaling.below_lower(None, bandwidth.as_ref())[0].1.clone()
    };
    assert_eq!(causes(1050), [FalseSharing, Contention]);
    assert_eq!(causes(1200), [MemoryBandwidth, FalseSharing, Contention]);
    assert_eq!(causes(1400), [MemoryBandwidth]);
}

#[test]
fn a_program_that_never_uses_two_processors_is_serial() {
    let is_serial = |sweep: &Sweep| scaling(sweep, None).is_serial();
    assert!(is_serial(&slow_on_two(105, None)));
    assert!(is_serial(&slow_on_two(105, Some(1))));
    assert!(!is_serial(&slow_on_two(105, Some(50))));
    assert!(!is_serial(&slow_on_two(130, None)));
    let mut sweep = slow_on_two(105, None);
    sweep.runs.pop();
    assert!(!is_serial(&sweep));
}

#[test]
fn runs_of_less_than_10_ms_are_too_short() {
    let times = [9_000_000, 11_000_000].map(|time| {
        let sweep = sweep(2, vec![run(RunKind::Plain, 1, time)]);
        scaling(&sweep, None).points[0].time.is_too_short()
    });
    assert_eq!(times, [true, false]);
}

#[test]
fn without_one_thread_there_is_no_speedup() {
    let scaling = scaling(&sweep(4, vec![run(RunKind::Plain, 2, 10)]), None);
    assert_eq!(scaling.points[0].speedup, None);
    assert!(!scaling.points[0].is_below_lower);
}

/// T_s = 60, T_elision = 72, T_1 = 80; T_2 = 48 with I_2 = 6, T_4 = 30 with I_4 = 20; in
/// milliseconds. Runs whose idle time is measured take a quarter longer.
fn runs() -> Vec<SweepRun> {
    let ms = 1_000_000;
    vec![
        run(RunKind::Baseline, 1, 60 * ms),
        run(RunKind::Elision, 1, 72 * ms),
        idle_run(1, 100 * ms, 0),
        idle_run(2, 60 * ms, 75 * ms / 10),
        idle_run(4, 375 * ms / 10, 25 * ms),
        run(RunKind::Plain, 1, 80 * ms),
        run(RunKind::Plain, 2, 48 * ms),
        run(RunKind::Plain, 4, 30 * ms),
    ]
}

#[test]
fn the_six_curves() {
    let factored = factored(&sweep(4, runs())).unwrap();
    let curves = |index: usize| {
        FactoredCurve::ALL.map(|curve| factored.points[index].speedup(curve).unwrap().value)
    };
    assert_eq!(curves(0), [1.0, 60.0 / 72.0, 0.75, 0.75, 0.75, 0.75]);
    assert_eq!(
        curves(1),
        [2.0, 120.0 / 72.0, 1.5, 120.0 / 86.0, 120.0 / 90.0, 1.25]
    );
    assert_eq!(curves(2), [4.0, 240.0 / 72.0, 3.0, 2.4, 2.4, 2.0]);
    let four = &factored.points[2];
    assert_eq!(four.inflation.unwrap().value.as_nanos(), 20_000_000);
    assert_eq!(four.idle.unwrap().value.as_nanos(), 20_000_000);
    assert_eq!(four.measuring.unwrap().value, 1.25);
    // 120 = 60 + 12 + 8 + 20 + 20.
    let gaps = factored.gaps.iter();
    let gaps = gaps.map(|gap| (gap.lost_to, gap.time.value.as_nanos() / 1_000_000));
    assert_eq!(
        gaps.collect::<Vec<_>>(),
        [
            (LostTo::IdleTime, 20),
            (LostTo::WorkInflation, 20),
            (LostTo::AlgorithmicOverhead, 12),
            (LostTo::SchedulingOverhead, 8),
        ]
    );
    assert!(!factored.is_baseline_slow && !factored.is_one_per_threads);
    assert_eq!(factored.imbalances, []);
    assert_eq!(factored.curvature, []);
}

/// Chart 3.f: the work on one core grows with P, 80, 90, 118.
#[test]
fn overhead_that_grows() {
    let mut runs = runs();
    for (threads, elapsed) in [(1, 80), (2, 90), (4, 118)] {
        // With the build that measures idle time, from which T_P then comes, too.
        runs.push(run(RunKind::OneWorker, threads, elapsed * 1_250_000));
    }
    let factored = factored(&sweep(4, runs)).unwrap();
    assert!(factored.is_one_per_threads);
    let maximal = factored.points.iter().map(|point| point.maximal.value);
    assert_eq!(
        maximal.collect::<Vec<_>>(),
        [0.6, 120.0 / 112.5, 240.0 / 147.5]
    );
    assert_eq!(factored.points[2].actual.value, 60.0 / 37.5);
    assert_eq!(factored.curvature, [Curvature::OverheadGrows]);
}

/// Two threads that write to one cache line: as slow as one after the other, or slower, without
/// idling.
#[test]
fn false_sharing_is_inflation_and_makes_the_curve_fall() {
    let runs = vec![
        run(RunKind::Baseline, 1, 100),
        idle_run(1, 100, 0),
        idle_run(2, 250, 10),
    ];
    let factored = factored(&sweep(2, runs)).unwrap();
    assert_eq!(factored.points[1].inflation.unwrap().value.as_nanos(), 390);
    assert_eq!(factored.gaps[0].lost_to, LostTo::WorkInflation);
    assert!(factored.gaps[0].is_significant);
    assert_eq!(factored.curvature, [Curvature::Contention]);
}

/// Two spins of 100 and 300: a third of the cores' time is idle.
#[test]
fn unequal_tasks_are_idle_time() {
    let runs = vec![
        run(RunKind::Baseline, 1, 400),
        idle_run(1, 400, 0),
        idle_run(2, 300, 200),
    ];
    let factored = factored(&sweep(2, runs)).unwrap();
    let two = &factored.points[1];
    assert_eq!(two.inflation.unwrap().value, Nanos::ZERO);
    assert_eq!(two.idle_specific, Some(two.actual));
    assert_eq!(two.inflation_specific, Some(two.maximal));
    assert_eq!(factored.gaps[0].lost_to, LostTo::IdleTime);
    assert_eq!(factored.gaps[0].share, 200.0 / 600.0);
}

/// Snippet B of Cilkview's figure 4, as measured (docs/gallery/scaling), in milliseconds: T_elision
/// = 683, T_1 = 2580, of which 1400 are idle; T_2 = 2662 with I_2 = 3860.
fn snippet_b(with_elision: bool) -> Factored {
    let ms = 1_000_000;
    let mut sweep = sweep(
        2,
        vec![
            run(RunKind::Plain, 1, 2580 * ms),
            run(RunKind::Plain, 2, 2662 * ms),
            idle_run(1, 2580 * ms, 1400 * ms),
            idle_run(2, 2662 * ms, 3860 * ms),
        ],
    );
    sweep.baseline = None;
    if with_elision {
        sweep.runs.push(run(RunKind::Elision, 1, 683 * ms));
    }
    factored(&sweep).unwrap()
}

fn milliseconds_lost(factored: &Factored) -> Vec<(LostTo, i64)> {
    let gaps = factored.gaps.iter();
    gaps.map(|gap| (gap.lost_to, gap.time.value.as_nanos() / 1_000_000))
        .collect()
}

#[test]
fn idle_time_with_too_fine_tasks_is_no_lack_of_parallelism() {
    let snippet = snippet_b(true);
    // 5324 = 683 + 2460 + 1897 + 284.
    assert_eq!(
        milliseconds_lost(&snippet),
        [
            (LostTo::IdleTime, 2460),
            (LostTo::SchedulingOverhead, 1897),
            (LostTo::WorkInflation, 284),
        ]
    );
    let [one, two] = snippet.points.as_slice() else {
        panic!("{:?}", snippet.points)
    };
    let of_one = [one.idle_specific, one.inflation_specific].map(|speedup| speedup.unwrap().value);
    assert_eq!(of_one, [1.0, 1.0]);
    // The curve flattens, from 1 to 2 · 2580/(2580 + 2460).
    let idle_specific = two.idle_specific.unwrap().value;
    assert!((idle_specific - 5160.0 / 5040.0).abs() < 1e-6);
    assert_eq!(snippet.curvature, [Curvature::MemoryBottleneck; 0]);
    let fine = |snippet: &Factored| snippet.points[1].fine_tasks.unwrap();
    assert!((fine(&snippet) - 1897.0 / 2580.0).abs() < 1e-9);
    // Idle time alone shows a smaller share, but leads to the same result.
    let without = snippet_b(false);
    assert!((fine(&without) - 1400.0 / 2580.0).abs() < 1e-9);
    assert_eq!(without.curvature, snippet.curvature);
    assert_eq!(
        milliseconds_lost(&without),
        [(LostTo::IdleTime, 2460), (LostTo::WorkInflation, 284)]
    );
}

/// The same idle time on two threads, in a program whose tasks cost next to nothing on one.
#[test]
fn idle_time_with_cheap_tasks_is_a_lack_of_parallelism() {
    let mut sweep = sweep(
        2,
        vec![
            run(RunKind::Elision, 1, 2500),
            idle_run(1, 2580, 20),
            idle_run(2, 2500, 2420),
        ],
    );
    sweep.baseline = None;
    let factored = factored(&sweep).unwrap();
    assert_eq!(factored.points[1].fine_tasks, None);
    assert_eq!(factored.gaps[0].lost_to, LostTo::IdleTime);
    assert!(factored.curvature.contains(&Curvature::LacksParallelism));
}

#[test]
fn times_that_do_not_add_up_are_reported() {
    let mut runs = runs();
    runs[3].order = 7;
    runs[3].workers.as_mut().unwrap().workers[0].idle = Nanos::from_nanos(5_000_000);
    let factored = factored(&sweep(4, runs)).unwrap();
    let [imbalance] = factored.imbalances.as_slice() else {
        panic!("{:?}", factored.imbalances)
    };
    assert_eq!((imbalance.threads, imbalance.order), (2, 7));
    assert_eq!(imbalance.workers, 1);
    assert!((imbalance.share + 2.5 / 120.0).abs() < 1e-12);
}

#[test]
fn a_baseline_slower_than_the_program_is_reported() {
    let runs = vec![run(RunKind::Baseline, 1, 120), idle_run(1, 100, 0)];
    assert!(factored(&sweep(2, runs)).unwrap().is_baseline_slow);
}

#[test]
fn nothing_to_compare_with() {
    let error = |runs| factored(&sweep(2, runs)).unwrap_err();
    assert_eq!(error(vec![idle_run(1, 100, 0)]), FactoredError::NoBaseline);
    assert_eq!(
        error(vec![run(RunKind::Baseline, 1, 9)]),
        FactoredError::NoRuns
    );
    assert_eq!(
        error(vec![run(RunKind::Baseline, 1, 9), idle_run(2, 9, 0)]),
        FactoredError::NoOneThread
    );
}

#[test]
fn without_a_baseline_the_program_on_one_thread_is_used() {
    let mut sweep = sweep(
        2,
        vec![idle_run(1, 100, 0), idle_run(1, 120, 0), idle_run(2, 60, 5)],
    );
    sweep.baseline = None;
    let factored = factored(&sweep).unwrap();
    assert!(factored.is_baseline_one && !factored.is_baseline_slow);
    let two = &factored.points[1];
    // The runs are the same ones, not independent samples.
    assert_eq!((two.maximal.low, two.maximal.high), (2.0, 2.0));
    assert_eq!(two.actual.value, 110.0 / 60.0);
    let lost = factored.gaps.iter().map(|gap| gap.lost_to);
    assert!(lost.into_iter().any(|lost| lost == LostTo::IdleTime));
}

#[test]
fn without_idle_runs_gaps_are_not_separated() {
    let runs = vec![
        run(RunKind::Baseline, 1, 100),
        run(RunKind::Plain, 1, 100),
        run(RunKind::Plain, 2, 80),
    ];
    let factored = factored(&sweep(2, runs)).unwrap();
    let two = &factored.points[1];
    assert_eq!(two.actual.value, 1.25);
    assert_eq!((two.idle_specific, two.inflation_specific), (None, None));
    assert_eq!(factored.gaps[0].lost_to, LostTo::IdleTimeOrInflation);
    assert_eq!(factored.gaps[0].time.value.as_nanos(), 60);
}
