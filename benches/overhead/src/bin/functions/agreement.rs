//! Functions on the span by sampling against exactly.

use std::collections::BTreeMap;

use anyhow::Context as _;
use workspan_overhead::{Executables, Functions, Group, Launch, Threads, Timing};

use crate::Claim;

/// Programs with spans of a quarter of a second or more, and functions that are not tiny.
const PROGRAMS: [(&str, &[&str], &[&str]); 5] = [
    ("quicksort", &[], &[]),
    ("strassen", &[], &[]),
    ("fft", &[], &[]),
    ("reader", &[], &[]),
    ("bfs", &[], &[]),
];

/// Functions are compared whose share is at least this ...
const LEAST: f64 = 0.05;

/// ... and may differ by so much.
const WITHIN: f64 = 0.03;

pub(crate) fn claims(executables: &Executables, short: bool) -> anyhow::Result<Vec<Claim>> {
    PROGRAMS
        .into_iter()
        .map(|(name, full, small)| {
            compare(executables, name, if short { small } else { full }, short)
                .with_context(|| format!("{name} cannot be compared"))
        })
        .collect()
}

fn compare(
    executables: &Executables,
    name: &str,
    arguments: &[&str],
    short: bool,
) -> anyhow::Result<Claim> {
    let program = executables.profiled(Group::Suite, name);
    let profile = |functions| {
        let launch = Launch {
            arguments,
            threads: Threads::One,
            functions,
        };
        launch.profile(&executables.workspan(), &program, Timing::Default, 0)
    };
    let exactly = profile(Functions::Exact)?.shares_of_functions_exactly()?;
    // One run may have few samples on its span.
    let (enough, most_runs) = if short { (400.0, 10) } else { (1_000.0, 15) };
    let mut sampled: BTreeMap<String, f64> = BTreeMap::new();
    let mut samples = 0.0;
    for _ in 0..most_runs {
        if samples >= enough {
            break;
        }
        let profile = profile(Functions::Sampled)?;
        let on_span = profile.samples_on_span()?;
        samples += on_span;
        for (function, share) in profile.shares_of_functions_sampled(&exactly)? {
            *sampled.entry(function).or_default() += share * on_span;
        }
    }
    anyhow::ensure!(samples > 0.0, "there are no samples on the span");
    sampled.values_mut().for_each(|share| *share /= samples);
    println!("{name}: functions on the span, exactly and by {samples:.0} samples");
    let mut worst = 0.0_f64;
    let mut functions: Vec<&String> = exactly.keys().chain(sampled.keys()).collect();
    functions.sort();
    functions.dedup();
    for function in functions {
        let share = |of: &BTreeMap<String, f64>| of.get(function).copied().unwrap_or(0.0);
        let (exactly, sampled) = (share(&exactly), share(&sampled));
        if exactly.max(sampled) >= LEAST {
            println!(
                "  {:>5.1} % {:>5.1} %  {function}",
                100.0 * exactly,
                100.0 * sampled
            );
            worst = worst.max((exactly - sampled).abs());
        }
    }
    // Of 400 samples a share is known to 5 points only, and the worst of several functions' is off by more.
    let room = if short { 3.0 } else { 1.0 };
    Ok(Claim {
        what: format!("{name}: shares of functions on the span, sampled against exact"),
        goal: format!("within {:.0} points", 100.0 * WITHIN),
        figure: format!("{:.1} points", 100.0 * worst),
        is_met: worst <= WITHIN,
        is_accepted: worst <= WITHIN * room,
    })
}
