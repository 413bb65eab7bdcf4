//! How far the figures of the known programs are from the true ones.

use std::collections::BTreeMap;
use std::thread;

use anyhow::{Context as _, ensure};
use workspan_gate::{Form, Gates, Machine};
use workspan_testkit::{Expected, Known, Truth};

use crate::program::{Profile, Program, number};

/// The programs of the short form, and those that it runs with every core busy.
pub const SHORT: &[&str] = &[
    "coarse_tree",
    "phases",
    "tasks_for_outer_scope",
    "par_iter_in_eight_parts",
    "tree_50ns",
    "tree_1us",
    "tree_50us",
    "long_in_tree",
    "60us_strand_each_ms",
    "loop_5us",
    "loop_512_of_100us",
    "spawns_1us",
    "fib_without_leaf_work",
];
pub const SHORT_LOADED: &[&str] = &["coarse_tree", "tasks_for_outer_scope"];

/// The part of a gate's name that says how the program ran, and its number of threads; `None` is
/// rayon's default.
type Setting = (&'static str, Option<usize>);

/// Judges each program: on otherwise idle cores, or `loaded`, while the caller keeps every core
/// busy.
pub fn check(
    gates: &mut Gates,
    program: &Program,
    programs: &[&Known],
    form: Form,
    loaded: bool,
) -> anyhow::Result<()> {
    for known in programs {
        let settings: &[Setting] = match known.truth {
            _ if loaded => &[("-loaded", None)],
            Truth::Time { .. } => &[("", None)],
            Truth::Kernel(_) => &[("-1", Some(1)), ("-2", Some(2))],
        };
        let read = || read(program, known, settings, form.select(9, 5));
        let (deviations, machine) = if loaded {
            (read()?, Machine::UNWATCHED)
        } else {
            gates.watch(read)?
        };
        for (figure, readings) in deviations {
            let shown: Vec<String> = readings.iter().map(|off| format!("{off:+.1}")).collect();
            eprintln!("{}/{figure}: {} %", known.name, shown.join(" "));
            gates.judge(&format!("{}/{figure}", known.name), &readings, machine)?;
        }
    }
    Ok(())
}

/// How many percent each profile is off, by figure and setting.
type Deviations = BTreeMap<String, Vec<f64>>;

/// Alternates plain and profiled runs of the program, and compares each profile with the plain runs
/// before it.
fn read(
    program: &Program,
    known: &Known,
    settings: &[Setting],
    runs: usize,
) -> anyhow::Result<Deviations> {
    let mut deviations = Deviations::new();
    for _ in 0..runs {
        for (setting, threads) in settings {
            let measured = match known.truth {
                Truth::Time { .. } => None,
                Truth::Kernel(_) => Some(measured(program, known.name, threads.unwrap_or(1))?),
            };
            let profile = program.profile(&[known.name], *threads)?;
            let expected = match measured {
                Some(measured) => measured,
                None => expected(&profile.printed)?,
            };
            for (figure, deviation) in
                compare(&profile, &expected).with_context(|| format!("{}{setting}", known.name))?
            {
                let readings = deviations.entry(format!("{figure}{setting}"));
                readings.or_default().push(deviation);
            }
        }
    }
    Ok(deviations)
}

/// The mean of plain runs of a program, as many at once as the profiled one has threads: if two
/// processors share a core, or the host gives them less time, a strand is slower next to another.
fn measured(program: &Program, name: &str, copies: usize) -> anyhow::Result<Expected> {
    let printed: Vec<anyhow::Result<Vec<u8>>> = thread::scope(|scope| {
        let runs: Vec<_> = (0..copies)
            .map(|_| scope.spawn(|| program.run_plain(&[name])))
            .collect();
        let ended = runs.into_iter().map(|run| run.join());
        ended
            .map(|printed| printed.expect("it does not panic"))
            .collect()
    });
    let each = printed.into_iter().map(|printed| expected(&printed?));
    let each = each.collect::<anyhow::Result<Vec<Expected>>>()?;
    let mean = |figure: fn(&Expected) -> Option<f64>| {
        let sum: Option<f64> = each.iter().map(figure).sum();
        sum.map(|sum| sum / copies as f64)
    };
    Ok(Expected {
        work_ns: mean(|expected| expected.work_ns),
        span_ns: mean(|expected| expected.span_ns),
        parallelism: mean(|expected| expected.parallelism),
        ..each[0].clone()
    })
}

/// Parses what a known program prints.
pub fn expected(printed: &[u8]) -> anyhow::Result<Expected> {
    let text = String::from_utf8_lossy(printed);
    let first = text.lines().next().unwrap_or_default();
    serde_json::from_str(first).with_context(|| format!("no figures in {text:?}"))
}

/// How many percent each known figure is off.
fn compare(profile: &Profile, expected: &Expected) -> anyhow::Result<Vec<(&'static str, f64)>> {
    let figures = profile.figures(expected.region.as_deref())?;
    let known = [
        ("work", "work_ns", expected.work_ns),
        ("span", "span_ns", expected.span_ns),
        ("parallelism", "parallelism", expected.parallelism),
    ];
    let mut deviations = Vec::new();
    for (name, key, expected) in known {
        let Some(expected) = expected else { continue };
        let read = number(figures, &[key])?;
        // Otherwise an accepted miss of nearly −100 % would let an empty profile pass.
        ensure!(read > 0.0, "the profile has no {name}");
        deviations.push((name, 100.0 * (read - expected) / expected));
    }
    ensure!(!deviations.is_empty(), "nothing is known of the program");
    Ok(deviations)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn off(work_ns: u64, span_ns: u64) -> anyhow::Result<Vec<(&'static str, f64)>> {
        let profile = Profile {
            results: json!({"totals": {"work_ns": work_ns, "span_ns": span_ns}}),
            printed: Vec::new(),
        };
        let expected = Expected {
            work_ns: Some(200.0),
            span_ns: Some(50.0),
            ..Expected::default()
        };
        compare(&profile, &expected)
    }

    #[test]
    fn deviations_by_hand() {
        assert_eq!(off(210, 40).unwrap(), [("work", 5.0), ("span", -20.0)]);
    }

    #[test]
    fn a_profile_of_nothing_fails() {
        assert!(off(0, 40).is_err());
        assert!(off(210, 0).is_err());
    }
}
