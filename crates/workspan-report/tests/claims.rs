//! What the first screen says of random runs is what they bear out.

mod common;

use common::written;
use proptest::prelude::*;
use workspan_model::{
    Analysis, Claim, Limit, Lock, LockUse, Nanos, PlainPair, ProcessorUse, Profile, Reach, SiteId,
    SiteKind, Span, Work, analyse, example,
};
use workspan_report::{Renderer, Text};

/// A run of the quicksort, or of its serial code alone, with other figures.
fn profiles() -> impl Strategy<Value = Profile> {
    const KINDS: [SiteKind; 7] = [
        SiteKind::Join,
        SiteKind::ParIter,
        SiteKind::Thread,
        SiteKind::Loop,
        SiteKind::Parallel,
        SiteKind::Task,
        SiteKind::ParBridge,
    ];
    let run = (
        proptest::sample::select(vec![0, 2, 8, 64]),
        1..16_u32,
        1..16_u32,
        20..3_000_i64,
        20..6_000_i64,
    );
    let code = (
        prop::bool::weighted(0.8),
        proptest::sample::select(KINDS.to_vec()),
        proptest::sample::select(vec![1, 8, 40, 500, 587_213]),
        // Of the span in 98 parts, how many are the construct's.
        0..98_i64,
        0..2_000_i64,
    );
    let plain = prop::option::of((100..2_000_i64, 100..2_000_i64));
    (run, code, plain).prop_map(
        |(
            (assumed, threads, cores, elapsed, used),
            (is_parallel, kind, spawns, on_span, held),
            plain,
        )| {
            let millis = |millis: i64| Nanos::from_nanos(millis * 1_000_000);
            let mut profile = match is_parallel {
                true => example::quicksort(),
                false => example::serial(),
            };
            let run = &mut profile.run;
            (run.assumed_cores, run.threads, run.elapsed) = (assumed, threads, millis(elapsed));
            run.processors = Some(ProcessorUse {
                used: millis(used),
                queued: None,
            });
            let pair = plain.map(|(one, all)| PlainPair {
                one: millis(one),
                all: millis(all),
            });
            run.plain = pair.into_iter().cycle().take(6).collect();
            profile.machine.cores = cores;
            if is_parallel {
                profile.sites[1].kind = kind;
                let (serial, construct) = (
                    Span::from(millis(98 - on_span)),
                    Span::from(millis(on_span)),
                );
                profile.tree[0].on_span.local_span = serial;
                profile.tree[1].on_span.local_span = construct;
                profile.tree[1].on_work.spawns = spawns;
                profile.locks = vec![Lock {
                    uses: vec![LockUse {
                        site: SiteId(1),
                        held: Work::from(millis(held.min(1_000))),
                        acquisitions: 100,
                        waits: 50,
                        waited: Nanos::ZERO,
                    }],
                }];
            }
            profile
        },
    )
}

fn answers(profile: &Profile, analysis: &Analysis) -> String {
    let report = written(|output| Text::default().render(profile, analysis, output));
    let (_, answers) = report.split_once("Is there enough parallelism?").unwrap();
    let (answers, _) = answers.split_once("\n\n").unwrap();
    answers.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The numbers N of "at most N on any number of cores".
fn ceilings(said: &str) -> Vec<f64> {
    let (before, _) = said
        .rsplit_once(" on any number of cores")
        .unwrap_or_default();
    before
        .split(" on any number of cores")
        .filter_map(|text| text.rsplit_once("at most "))
        .filter_map(|(_, number)| number.replace(',', "").parse().ok())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_screen_says_no_more_than_is_claimed(profile in profiles()) {
        let analysis = analyse(&profile);
        let said = answers(&profile, &analysis);
        let claims = |is_it: fn(&Claim) -> bool| analysis.claims.made.iter().any(is_it);
        // Of waits that may be for one lock, it says what follows if they are.
        let is_condition = matches!(analysis.verdict.limit, Limit::Awaited { .. });
        if said.contains("on any number of cores") && !is_condition {
            let is_ceiling = |claim: &Claim| {
                matches!(claim, Claim::AtMost { reach: Reach::AnyCores, .. })
            };
            prop_assert!(claims(is_ceiling), "{}", said);
        }
        for most in ceilings(&said).into_iter().filter(|_| !is_condition) {
            let is_claimed = analysis.claims.made.iter().any(|claim| match claim {
                Claim::AtMost { speedup, reach: Reach::AnyCores, .. } => (speedup - most).abs() <= 0.01 * most,
                _ => false,
            });
            prop_assert!(is_claimed, "{} of {:?}: {}", most, analysis.claims.made, said);
        }
        if said.starts_with("None at all") {
            prop_assert!(claims(|claim| *claim == Claim::Serial), "{}", said);
        }
        if said.starts_with("Yes") {
            let promises = |claim: &Claim| matches!(claim, Claim::Expect { lower: Some(_), .. });
            prop_assert!(claims(promises), "{}", said);
            prop_assert_eq!(analysis.verdict.divided_for, None, "{}", said);
        }
    }

    #[test]
    fn no_run_is_faster_than_its_screen_claims(profile in profiles()) {
        let analysis = analyse(&profile);
        let totals = &analysis.totals;
        let processors = profile.run.processors.unwrap().used;
        let worked = (totals.work.time() - totals.blocked).min(processors - profile.run.own_cost);
        let over_one_thread = analysis.plain.as_ref().map_or(1.0, |plain| plain.over_one_thread());
        let reached = worked.shown() as f64 * over_one_thread / profile.run.elapsed.shown() as f64;
        for claim in &analysis.claims.made {
            let most = match *claim {
                Claim::AtMost { speedup, .. } => speedup,
                Claim::Expect { cores, upper: Some(upper), .. } if cores >= profile.machine.cores => upper,
                Claim::Serial => {
                    // What ran beside the one strand is starting and ending.
                    let others = (processors - totals.work.time() - profile.run.own_cost).shown();
                    let limit = (profile.run.elapsed.shown() / 10).max(20_000_000);
                    prop_assert!(others <= limit, "{} beside one strand", others);
                    continue;
                }
                _ => continue,
            };
            prop_assert!(1.05 * most >= reached * (1.0 - 1e-9), "{:?} in a run with {}", claim, reached);
        }
    }
}
