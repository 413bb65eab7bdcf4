use super::*;
use crate::{Location, Site, SiteKind, Span, Work, example, repeated};

/// The quicksort in one run per factor, with the join's span and own work multiplied by it.
fn runs(factors: &[f64]) -> Profile {
    let run = |&factor: &f64| {
        let mut profile = example::quicksort();
        let times = |nanos: f64| (nanos * factor) as i64;
        profile.tree[1].on_span.local_span = Span::from_nanos(times(76_600_000.0));
        profile.tree[1].on_work.local_work = Work::from_nanos(times(1_038_600_000.0));
        profile.span = Span::from_nanos(21_400_000 + times(76_600_000.0));
        profile.burdened_span = profile.span;
        profile
    };
    repeated(factors.iter().map(run).collect()).unwrap()
}

const QUIET: [f64; 5] = [1.0, 1.001, 1.002, 1.003, 1.004];

fn compared(before: &Profile, after: &Profile) -> Comparison {
    compare(before, after, ComparisonOptions::default()).unwrap()
}

#[test]
fn a_profile_does_not_differ_from_itself() {
    let profile = runs(&QUIET);
    let comparison = compared(&profile, &profile);
    assert_eq!(comparison.basis, Basis::Runs(5, 5));
    assert_eq!(comparison.verdict(), ComparisonVerdict::Same);
    assert_eq!(comparison.certain().count(), 0);
    assert!(comparison.mismatches.is_empty());
    for site in &comparison.sites {
        assert_eq!(site.weight, 0.0);
        assert!(!site.is_moved && site.before == site.after);
    }
}

#[test]
fn a_longer_span_is_reported_with_its_site() {
    let (before, after) = (runs(&QUIET), runs(&QUIET.map(|factor| factor * 1.15)));
    let comparison = compared(&before, &after);
    assert_eq!(comparison.verdict(), ComparisonVerdict::Worse);
    let span = comparison.total(Quantity::Span);
    // 15% of 76.6 of the 98 ms.
    assert!((span.growth.value - 0.1172).abs() < 0.001, "{span:?}");
    assert_eq!(span.kind, ChangeKind::Grown);
    let parallelism = comparison.total(Quantity::Parallelism);
    // The work grows by 14.7%, the span by 11.7%.
    assert!(
        (parallelism.growth.value - 0.0266).abs() < 0.001,
        "{parallelism:?}"
    );
    assert_eq!(comparison.total(Quantity::Tasks).kind, ChangeKind::Same);
    let site = &comparison.sites[0];
    assert_eq!(site.row().kind, SiteKind::Join);
    assert_eq!(site.on_span.kind, ChangeKind::Grown);
    assert!((site.on_span.growth.value - 0.1172).abs() < 0.001);
    // 155.79 ms more work on 64 cores, and 11.49 ms more span.
    assert!(
        (site.weight / 1e6 - (155.79 / 64.0 + 11.49)).abs() < 0.1,
        "{site:?}"
    );
    assert_eq!(
        compared(&after, &before).verdict(),
        ComparisonVerdict::Better
    );
}

#[test]
fn one_run_each_shows_nothing() {
    let comparison = compared(&runs(&[1.0]), &runs(&[1.5]));
    assert_eq!(comparison.basis, Basis::TooFew(1, 1));
    assert_eq!(comparison.verdict(), ComparisonVerdict::Unknown);
    assert_eq!(comparison.certain().count(), 0);
    assert!((comparison.total(Quantity::Span).growth.value - 0.391).abs() < 0.001);
}

#[test]
fn one_run_each_is_enough_if_the_clock_repeats_exactly() {
    let exact = |factor| {
        let mut profile = runs(&[factor]);
        profile.run.clock = "virtual".to_owned();
        profile
    };
    let comparison = compared(&exact(1.0), &exact(1.000_001));
    assert_eq!(comparison.basis, Basis::Exact);
    assert_eq!(comparison.verdict(), ComparisonVerdict::Worse);
    assert_eq!(
        compared(&exact(1.0), &exact(1.0)).verdict(),
        ComparisonVerdict::Same
    );
    let options = ComparisonOptions {
        least_change: Some(0.01),
        ..ComparisonOptions::default()
    };
    let coarsely = compare(&exact(1.0), &exact(1.000_001), options).unwrap();
    assert_eq!(coarsely.verdict(), ComparisonVerdict::Same);
}

#[test]
fn sites_are_gained_and_lost() {
    let before = runs(&QUIET);
    let mut after = example::quicksort();
    let site = Site {
        location: Some(Location::new("examples/quicksort.rs", 80, 9)),
        ..Site::unnamed(SiteKind::Scope)
    };
    after.sites[1] = site;
    let comparison = compared(&before, &after);
    let gained = comparison.sites.iter().filter(|site| site.before.is_none());
    assert_eq!(
        gained.map(|site| site.row().kind).collect::<Vec<_>>(),
        [SiteKind::Scope]
    );
    let lost = comparison.sites.iter().filter(|site| site.after.is_none());
    assert_eq!(
        lost.map(|site| site.row().kind).collect::<Vec<_>>(),
        [SiteKind::Join]
    );
}

#[test]
fn pairing_needs_equal_numbers_of_runs() {
    let options = ComparisonOptions {
        is_paired: true,
        ..ComparisonOptions::default()
    };
    assert_eq!(
        compare(&runs(&QUIET), &runs(&QUIET[1..]), options),
        Err(Incomparable::Unpaired {
            before: 5,
            after: 4
        })
    );
}

#[test]
fn speedups_include_those_on_the_assumed_cores() {
    let mut profile = example::quicksort();
    profile.run.assumed_cores = 96;
    let comparison = compared(&profile, &profile);
    let cores: Vec<u32> = comparison
        .speedup
        .iter()
        .map(|(before, _)| before.cores)
        .collect();
    assert_eq!(cores, [1, 2, 4, 8, 16, 32, 64, 96, 128, 256]);
}

fn threshold(quantity: Quantity, limit: ThresholdLimit) -> Threshold {
    Threshold {
        quantity,
        site: None,
        limit,
    }
}

fn outcome(
    profile: &Profile,
    baseline: Option<&Profile>,
    threshold: Threshold,
) -> Result<ThresholdOutcome, ThresholdError> {
    let checked = check_thresholds(
        profile,
        baseline,
        &[threshold],
        ComparisonOptions::default(),
    );
    checked
        .map(|checked| checked[0].outcome)
        .map_err(|(_, error)| error)
}

#[test]
fn thresholds_relative_to_a_baseline() {
    use ThresholdOutcome::{Exceeded, Held, Inconclusive};
    let grown = |limit| threshold(Quantity::Span, ThresholdLimit::Growth(limit));
    let (before, after) = (runs(&QUIET), runs(&QUIET.map(|factor| factor * 1.15)));
    let of = |limit| outcome(&after, Some(&before), grown(limit)).unwrap();
    assert_eq!(of(0.05), Exceeded);
    assert_eq!(of(0.20), Held);
    // It grew by 11.7% or by a little less.
    assert_eq!(of(0.117), Inconclusive);
    assert_eq!(outcome(&before, Some(&before), grown(0.0)), Ok(Held));
    assert_eq!(
        outcome(&after, None, grown(0.05)),
        Err(ThresholdError::NoBaseline)
    );
    // Without an interval the figures themselves are judged.
    let (before, after) = (runs(&[1.0]), runs(&[1.15]));
    assert_eq!(outcome(&after, Some(&before), grown(0.117)), Ok(Exceeded));
}

#[test]
fn absolute_thresholds() {
    use ThresholdOutcome::{Exceeded, Held, Inconclusive};
    let at = |quantity, limit| threshold(quantity, ThresholdLimit::At(limit));
    let one = runs(&[1.0]);
    let of = |quantity, limit| outcome(&one, None, at(quantity, limit)).unwrap();
    assert_eq!(of(Quantity::Span, 98e6), Held);
    assert_eq!(of(Quantity::Span, 97e6), Exceeded);
    assert_eq!(of(Quantity::Parallelism, 10.0), Held);
    assert_eq!(of(Quantity::Parallelism, 11.0), Exceeded);
    assert_eq!(of(Quantity::Tasks, 587_213.0), Held);
    assert_eq!(of(Quantity::Tasks, 587_212.0), Exceeded);
    // Eight runs have an interval, which covers all of them.
    let several = runs(&[1.0, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07]);
    let of = |limit| outcome(&several, None, at(Quantity::Span, limit)).unwrap();
    assert_eq!([97e6, 99e6, 110e6].map(of), [Exceeded, Inconclusive, Held]);
    // If the clock repeats exactly, even a few runs have one that covers all of them: they differ
    // only where the program does.
    let mut exact = runs(&[1.0, 1.04, 1.05]);
    exact.run.clock = "virtual".to_owned();
    let of = |limit| outcome(&exact, None, at(Quantity::Span, limit)).unwrap();
    assert_eq!([97e6, 99e6, 110e6].map(of), [Exceeded, Inconclusive, Held]);
}

#[test]
fn thresholds_of_sites() {
    let at = |quantity, words: &str, limit| Threshold {
        site: Some(words.to_owned()),
        ..threshold(quantity, limit)
    };
    let profile = runs(&[1.0]);
    let of = |threshold| outcome(&profile, Some(&profile), threshold);
    let work = |words, limit| at(Quantity::Work, words, ThresholdLimit::At(limit));
    assert_eq!(
        of(work("quicksort.rs:31", 1.1e9)),
        Ok(ThresholdOutcome::Held)
    );
    assert_eq!(
        of(work("quicksort.rs:31", 1e9)),
        Ok(ThresholdOutcome::Exceeded)
    );
    let grown = at(
        Quantity::Span,
        "quicksort.rs:31",
        ThresholdLimit::Growth(0.0),
    );
    assert_eq!(of(grown.clone()), Ok(ThresholdOutcome::Held));
    assert!(matches!(
        of(work("nowhere.rs:1", 1.0)),
        Err(ThresholdError::Site(_))
    ));
    let burdened = at(Quantity::BurdenedSpan, "root", ThresholdLimit::At(1.0));
    assert_eq!(
        of(burdened),
        Err(ThresholdError::NotOfSites(Quantity::BurdenedSpan))
    );
    let mut old = profile.clone();
    old.sites[1].kind = SiteKind::Scope;
    assert_eq!(
        outcome(&profile, Some(&old), grown),
        Err(ThresholdError::NewSite("quicksort.rs:31".to_owned()))
    );
}

/// If the baseline has no tasks, or no time at a site, any growth from there is infinite.
#[test]
fn thresholds_relative_to_zero() {
    use ThresholdOutcome::{Exceeded, Held};
    let with_span = |nanos: i64| {
        let of_run = |run: i64| {
            let mut profile = example::quicksort();
            profile.span = Span::from_nanos(if nanos > 0 { nanos + run } else { nanos });
            profile
        };
        repeated((0..5).map(of_run).collect()).unwrap()
    };
    let of = |before: i64, after: i64| {
        let grown = threshold(Quantity::Span, ThresholdLimit::Growth(10.0));
        outcome(&with_span(after), Some(&with_span(before)), grown)
    };
    assert_eq!(of(0, 5), Ok(Exceeded));
    assert_eq!(of(-3, 5), Ok(Exceeded));
    assert_eq!(of(0, 0), Ok(Held));
    assert_eq!(of(-3, 0), Ok(Held));
    assert_eq!(of(5, 0), Ok(Held));
}

/// Every other run does not reach the join.
#[test]
fn thresholds_of_sites_that_some_runs_do_not_reach() {
    use ThresholdOutcome::{Exceeded, Held};
    let of_runs = |count: usize, factor: f64, reaches: fn(usize) -> bool| {
        let mut profile = runs(&vec![factor; count]);
        let repetition = profile.repetition.as_mut().unwrap();
        for (number, run) in repetition.runs.iter_mut().enumerate() {
            if !reaches(number) {
                run.sites.retain(|row| row.kind != SiteKind::Join);
            }
        }
        profile
    };
    let grown = Threshold {
        site: Some("quicksort.rs:31".to_owned()),
        ..threshold(Quantity::Work, ThresholdLimit::Growth(0.05))
    };
    let judged = |before: &Profile, after: &Profile, is_paired| {
        let options = ComparisonOptions {
            is_paired,
            ..ComparisonOptions::default()
        };
        let checked = check_thresholds(after, Some(before), std::slice::from_ref(&grown), options);
        checked
            .map(|checked| (checked[0].outcome, checked[0].interval.is_some()))
            .map_err(|(_, error)| error)
    };
    let even = |run| run % 2 == 0;
    let odd = |run| run % 2 == 1;
    let before = of_runs(20, 1.0, even);
    let longer = of_runs(20, 1.2, even);
    assert_eq!(judged(&before, &longer, false), Ok((Exceeded, true)));
    assert_eq!(judged(&before, &longer, true), Ok((Exceeded, true)));
    assert_eq!(judged(&before, &before, true), Ok((Held, true)));
    // Three runs of six are too few for an interval.
    let few = of_runs(6, 1.2, even);
    assert_eq!(
        judged(&of_runs(6, 1.0, even), &few, false),
        Ok((Exceeded, false))
    );
    let elsewhere = of_runs(20, 1.2, odd);
    assert!(matches!(
        judged(&before, &elsewhere, true),
        Err(ThresholdError::NoPair(_))
    ));
}
