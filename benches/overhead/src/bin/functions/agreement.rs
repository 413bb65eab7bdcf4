//! Functions on the span: by sampling against exactly measured.

use std::collections::BTreeMap;

use anyhow::Context as _;
use workspan_overhead::{Executables, Functions, Group, Launch};

use crate::reading::Reading;

/// Programs with spans of a quarter of a second or more, and functions that are not tiny; and how
/// many sampled runs of each a reading pools in the short form: the share of a function among 300
/// samples has a standard error of up to 3 percentage points.
const PROGRAMS: [(&str, usize); 5] = [
    ("quicksort", 5),
    ("fft", 3),
    ("bfs", 3),
    ("strassen", 9),
    ("reader", 3),
];

/// How many of them run in the short form.
const SHORT: usize = 3;

/// The least share of a function that is compared.
const LEAST: f64 = 0.05;

/// Readings of each program. Each takes one exact run and several sampled ones.
const READINGS: usize = 3;

pub(crate) fn readings(executables: &Executables, short: bool) -> anyhow::Result<Vec<Reading>> {
    let programs = if short { SHORT } else { PROGRAMS.len() };
    PROGRAMS
        .into_iter()
        .take(programs)
        .map(|(name, few)| {
            compare(executables, name, if short { few } else { 4 * few })
                .with_context(|| format!("{name} cannot be compared"))
        })
        .collect()
}

fn compare(executables: &Executables, name: &str, runs_each: usize) -> anyhow::Result<Reading> {
    let profile = |functions| {
        let launch = Launch {
            threads: Some(1),
            functions,
            cores: 0,
            ..Launch::new(executables, Group::Suite, name, &[])
        };
        launch.profile()
    };
    let mut worst = Vec::new();
    for _ in 0..READINGS {
        let exactly = profile(Functions::Exact)?.shares_of_functions_exactly()?;
        let mut sampled: BTreeMap<String, f64> = BTreeMap::new();
        let mut samples = 0.0;
        for _ in 0..runs_each {
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
        worst.push(100.0 * worst_difference(&exactly, &sampled));
    }
    Ok(Reading::new(format!("{name}/sampled-off"), worst))
}

/// Prints the shares of each function. Returns the greatest difference.
fn worst_difference(exactly: &BTreeMap<String, f64>, sampled: &BTreeMap<String, f64>) -> f64 {
    let mut functions: Vec<&String> = exactly.keys().chain(sampled.keys()).collect();
    functions.sort();
    functions.dedup();
    let mut worst = 0.0_f64;
    for function in functions {
        let share = |shares: &BTreeMap<String, f64>| shares.get(function).copied().unwrap_or(0.0);
        let (exactly, sampled) = (share(exactly), share(sampled));
        if exactly.max(sampled) >= LEAST {
            println!(
                "  {:>5.1} % {:>5.1} %  {function}",
                100.0 * exactly,
                100.0 * sampled
            );
            worst = worst.max((exactly - sampled).abs());
        }
    }
    worst
}
