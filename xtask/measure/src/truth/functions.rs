//! Functions on the span: by samples, beside exactly measured.

use std::collections::BTreeMap;

use anyhow::ensure;

use crate::measuring::Measuring;
use crate::run::{Profile, Program, array, number, text};

/// Programs with spans of a quarter of a second or more, and functions that are not tiny; how many
/// sampled runs of each a reading pools in the short form (the share of a function among 300 samples
/// has a standard error of up to 3 percentage points); and whether the short form has it.
const PROGRAMS: [(&str, usize, bool); 5] = [
    ("quicksort", 5, true),
    ("fft", 3, true),
    ("bfs", 3, true),
    ("strassen", 9, false),
    ("reader", 3, false),
];

/// The least share of a function that is compared.
const LEAST: f64 = 0.05;

/// Readings of each program. Each takes one exact run and several sampled ones.
const READINGS: usize = 3;

/// Shares of the span by function.
type Shares = BTreeMap<String, f64>;

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    for (name, few, is_short) in PROGRAMS {
        if measuring.wants("functions", name, is_short) {
            measuring.build_suite()?;
            let program = Program::new(name, "")?.on(1);
            let runs = measuring.form.select(4 * few, few);
            measuring.watched(name, |read| {
                for _ in 0..READINGS {
                    read.add("sampled-off", worst_difference(&program, runs)?);
                }
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// The greatest difference of a function's share between an exact run and sampled ones, in
/// percentage points.
fn worst_difference(program: &Program, runs: usize) -> anyhow::Result<f64> {
    let exact = "--assume-cores real --functions exact --sample-hz 0";
    let exactly = exact_shares(&program.profile(exact)?)?;
    let mut sampled = Shares::new();
    let mut samples = 0.0;
    for _ in 0..runs {
        let profile = program.profile("--assume-cores real")?;
        let on_span = number(&profile.json, "/samples/on_span/samples")?;
        samples += on_span;
        for (function, share) in sampled_shares(&profile, &exactly)? {
            *sampled.entry(function).or_default() += share * on_span;
        }
    }
    ensure!(samples > 0.0, "there are no samples on the span");
    let mut worst = 0.0_f64;
    for function in exactly.keys().chain(sampled.keys()) {
        let exact = exactly.get(function).copied().unwrap_or(0.0);
        let sampled = sampled.get(function).copied().unwrap_or(0.0) / samples;
        if exact.max(sampled) >= LEAST {
            worst = worst.max((exact - sampled).abs());
        }
    }
    Ok(100.0 * worst)
}

/// The strands of a construct count for the function around it.
fn exact_shares(profile: &Profile) -> anyhow::Result<Shares> {
    let mut shares = Shares::new();
    for site in array(&profile.json, "/sites")? {
        let function = match site["kind"].as_str() {
            Some("function") => text(&site["name"]),
            Some("root") => "(outside)",
            _ => text(&site["function"]),
        };
        let share = site["on_span"]["share"].as_f64().unwrap_or(0.0);
        *shares.entry(without_closures(function)).or_default() += share;
    }
    Ok(shares)
}

/// Each sample counts for the function whose machine code ran, or for its caller if that function is
/// not among those `measured`, which leave out tiny functions.
fn sampled_shares(profile: &Profile, measured: &Shares) -> anyhow::Result<Shares> {
    let mut shares = Shares::new();
    for function in array(&profile.json, "/samples/functions")? {
        let own = without_closures(text(&function["function"]));
        let name = match measured.contains_key(&own) {
            true => own,
            false => without_closures(text(&function["callers"][0]["function"])),
        };
        let share = function["physical_self"]["on_span"]["share"].as_f64();
        *shares.entry(name).or_default() += share.unwrap_or(0.0);
    }
    Ok(shares)
}

/// The function that contains a closure.
fn without_closures(function: &str) -> String {
    function
        .split("::{closure")
        .next()
        .unwrap_or(function)
        .to_owned()
}
