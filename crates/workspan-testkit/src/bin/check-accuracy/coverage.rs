//! How often intervals contain the true figure, and how wide they are for that.

use anyhow::{Context as _, ensure};
use serde_json::Value;
use workspan_gate::{Estimate, Form, Gates, Machine};

use crate::deviation::expected;
use crate::program::{Profile, Program, is_chosen, number};

/// Programs whose report prints an interval of the span, each with how often it repeats its
/// pattern, few enough for a short run: fib-like, trees, phases of two kinds, and mixtures.
const PROGRAMS: &[(&str, &str)] = &[
    ("tree_50ns", "100"),
    ("tree_1us", "30"),
    ("tree_5us", "8"),
    ("uneven_leaves", "4"),
    ("60us_strand_each_ms", "30"),
    ("long_in_tree", "15"),
    ("long_in_loop", "15"),
    ("loop_512_of_100us", "1"),
];

/// The program of two functions with known shares of the work.
const SAMPLES: &str = "samples";

/// The programs of the short form.
const SHORT: &[&str] = &[
    "tree_1us",
    "60us_strand_each_ms",
    "loop_512_of_100us",
    SAMPLES,
];

/// Number of profiles compared with one plain run, which is made after the first half of them.
const RUNS_OF_ONE_TRUTH: usize = 10;

/// A report prints an interval if half of it exceeds this share of the span; otherwise it claims
/// none. The same limit as that of `workspan_model::SpanInterval::is_wide`.
const PRINTED: f64 = 0.01;

/// Judges the intervals of the named programs; without names, of those of the form.
pub fn check(names: &[String], form: Form) -> anyhow::Result<u8> {
    let is_chosen = |name: &str| is_chosen(name, names, form, SHORT);
    for name in names {
        let mut known = PROGRAMS.iter().map(|(name, _)| *name).chain([SAMPLES]);
        ensure!(
            known.any(|known| known == name),
            "no program is called {name}"
        );
    }
    let target = ["--package", "workspan-testkit", "--bin", "covered"];
    let program = Program::build(&target, "covered", &[])?;
    let mut gates = Gates::open("coverage", form)?;
    // Profiles of each program.
    let runs = form.select(200, 60);
    for (name, repeats) in PROGRAMS.iter().filter(|(name, _)| is_chosen(name)) {
        let read = || read_spans(&program, &[name, repeats], runs);
        let (readings, machine) = gates.watch(read).context(*name)?;
        judge_spans(&mut gates, name, &readings, machine)?;
    }
    if is_chosen(SAMPLES) {
        let read = || read_shares(&program, runs);
        let (held, machine) = gates.watch(read).context(SAMPLES)?;
        judge_coverage(&mut gates, "samples/share", &held, machine)?;
    }
    gates.finish()
}

/// Programs with a known parallelism, the longest strand of most of which the machine decides.
const DELAYED: &[&str] = &[
    "loop_512_of_650us",
    "loop_4096_of_650us",
    "tree_64_of_650us",
    "loop_uneven",
    "loop_alternating",
    "loop_one_leaf_twice_as_long",
];

/// Judges the interval of the whole program's parallelism in single runs of the named programs;
/// without names, of all.
pub fn check_single_runs(names: &[String], form: Form) -> anyhow::Result<u8> {
    let target = ["--package", "workspan-testkit", "--bin", "covered"];
    let program = Program::build(&target, "covered", &[])?;
    let mut gates = Gates::open("truth", form)?;
    for name in DELAYED
        .iter()
        .filter(|name| is_chosen(name, names, Form::Full, &[]))
    {
        let arguments = [*name, "1"];
        let read = || -> anyhow::Result<Vec<Reading>> {
            let runs = 0..form.select(20, 10);
            runs.map(|_| single_run(&program, &arguments)).collect()
        };
        let (readings, machine) = gates.watch(read).context(*name)?;
        for read in &readings {
            let is_missed = if read.holds() { "" } else { ", missed" };
            eprintln!(
                "{name}: {:.0} in {:.0} … {:.0}{is_missed}",
                read.truth, read.low, read.high
            );
        }
        let held = readings.iter().filter(|read| read.holds()).count();
        let held = Estimate::from_readings(&[held as f64 / readings.len() as f64]);
        gates.judge_estimate(&format!("{name}/held"), held, machine)?;
        let widths: Vec<f64> = readings.iter().map(|read| read.high / read.low).collect();
        gates.judge(&format!("{name}/upper-over-lower"), &widths, machine)?;
    }
    gates.finish()
}

/// The parallelism of the whole program in one profile. A plain run beside it shows the work and the
/// span of the tasks; to both comes the serial code around them, which that run times, too.
fn single_run(program: &Program, arguments: &[&str]) -> anyhow::Result<Reading> {
    let printed = program.run_plain(arguments)?;
    let expected = expected(&printed)?;
    let known = expected.work_ns.zip(expected.span_ns);
    let (work, span) = known.context("its work and span are not known")?;
    let text = String::from_utf8_lossy(&printed);
    let serial = text.lines().nth(1).context("no time of serial code")?;
    let serial: f64 = serial.parse()?;
    let profile = program.profile(arguments, None)?;
    let totals = profile.figures(None)?;
    Ok(Reading {
        figure: number(totals, &["parallelism"])?,
        low: number(totals, &["parallelism_interval", "lower"])?,
        high: (totals["parallelism_interval"]["upper"].as_f64()).unwrap_or(f64::INFINITY),
        truth: (work + serial) / (span + serial),
    })
}

/// A figure and its interval in one profile, and the true figure.
struct Reading {
    figure: f64,
    low: f64,
    high: f64,
    truth: f64,
}

impl Reading {
    fn holds(&self) -> bool {
        (self.low..=self.high).contains(&self.truth)
    }
}

/// The span, and the parallelism that follows from it.
struct Spans {
    span: Reading,
    parallelism: Reading,
}

impl Spans {
    fn new(profile: &Profile, truth: [f64; 2]) -> anyhow::Result<Self> {
        let figures = profile.figures(Some(workspan_testkit::REGION))?;
        let [span, parallelism] = truth;
        Ok(Spans {
            span: Reading {
                figure: number(figures, &["span_ns"])?,
                low: number(figures, &["span_interval", "lower_ns"])?,
                high: number(figures, &["span_interval", "upper_ns"])?,
                truth: span,
            },
            parallelism: Reading {
                figure: number(figures, &["parallelism"])?,
                low: number(figures, &["parallelism_interval", "lower"])?,
                // There is no upper end if the span may be zero.
                high: figures["parallelism_interval"]["upper"]
                    .as_f64()
                    .unwrap_or(f64::INFINITY),
                truth: parallelism,
            },
        })
    }

    fn is_printed(&self) -> bool {
        let Reading {
            figure, low, high, ..
        } = self.span;
        (high - figure).max(figure - low) > PRINTED * figure
    }
}

/// Profiles the program `runs` times, a multiple of [`RUNS_OF_ONE_TRUTH`].
fn read_spans(program: &Program, arguments: &[&str], runs: usize) -> anyhow::Result<Vec<Spans>> {
    let mut readings = Vec::new();
    while readings.len() < runs {
        let half = || -> anyhow::Result<Vec<Profile>> {
            let profiles = (0..RUNS_OF_ONE_TRUTH / 2).map(|_| program.profile(arguments, None));
            profiles.collect()
        };
        let mut profiles = half()?;
        let expected = expected(&program.run_plain(arguments)?)?;
        profiles.extend(half()?);
        let span = expected.span_ns.context("its span is not known")?;
        let parallelism = expected
            .parallelism
            .context("its parallelism is not known")?;
        for profile in &profiles {
            readings.push(Spans::new(profile, [span, parallelism])?);
        }
    }
    Ok(readings)
}

fn judge_spans(
    gates: &mut Gates,
    name: &str,
    readings: &[Spans],
    machine: Machine,
) -> anyhow::Result<()> {
    let printed: Vec<&Spans> = readings.iter().filter(|read| read.is_printed()).collect();
    eprintln!(
        "{name}: {} of {} reports print an interval",
        printed.len(),
        readings.len()
    );
    // Otherwise an engine that never admits an error would have no interval to check.
    let share = Estimate::from_share(printed.len(), readings.len());
    gates.judge_estimate(&format!("{name}/printed"), share, machine)?;
    if printed.is_empty() {
        return Ok(());
    }
    let spans: Vec<&Reading> = printed.iter().map(|read| &read.span).collect();
    let parallelisms: Vec<&Reading> = printed.iter().map(|read| &read.parallelism).collect();
    for (figure, readings) in [("span", &spans), ("parallelism", &parallelisms)] {
        let held: Vec<bool> = readings.iter().map(|read| read.holds()).collect();
        judge_coverage(gates, &format!("{name}/{figure}"), &held, machine)?;
    }
    gates.judge(&format!("{name}/width"), &widths(&spans), machine)
}

fn judge_coverage(
    gates: &mut Gates,
    gate: &str,
    held: &[bool],
    machine: Machine,
) -> anyhow::Result<()> {
    let count = held.iter().filter(|held| **held).count();
    gates.judge_estimate(gate, Estimate::from_share(count, held.len()), machine)
}

/// The width of each interval over the one width at which all of them would contain the truth in
/// 95 % of runs.
fn widths(readings: &[&Reading]) -> Vec<f64> {
    let mut off: Vec<f64> = readings
        .iter()
        .map(|read| (read.figure - read.truth).abs())
        .collect();
    off.sort_by(f64::total_cmp);
    let needed = 2.0 * off[(off.len() - 1) * 19 / 20];
    let width = |read: &&Reading| (read.high - read.low) / needed;
    readings.iter().map(width).collect()
}

/// For each of `runs` profiles, whether the interval printed for a function's share of the work
/// contains the true share. It does not if the function, which does most of the work, is in no
/// sample.
fn read_shares(program: &Program, runs: usize) -> anyhow::Result<Vec<bool>> {
    (0..runs)
        .map(|_| {
            let profile = program.profile(&[SAMPLES], None)?;
            let printed: Value = serde_json::from_slice(&profile.printed)?;
            let (function, truth) = (&printed["function"], number(&printed, &["share"])?);
            let functions = profile.results["samples"]["functions"].as_array();
            let Some(row) = functions
                .into_iter()
                .flatten()
                .find(|row| row["function"] == *function)
            else {
                return Ok(false);
            };
            let share = &row["total"]["on_work"];
            let reading = Reading {
                figure: number(share, &["share"])?,
                low: number(share, &["lower"])?,
                high: number(share, &["upper"])?,
                truth,
            };
            Ok(reading.holds())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(figure: f64, half: f64) -> Reading {
        Reading {
            figure,
            low: figure - half,
            high: figure + half,
            truth: 100.0,
        }
    }

    #[test]
    fn interval_of_the_needed_width_by_hand() {
        // Off by 1 to 20: an interval of 19 on either side contains the truth in 95 % of them.
        let readings: Vec<Reading> = (1..=20)
            .map(|off| reading(100.0 + f64::from(off), 38.0))
            .collect();
        let readings: Vec<&Reading> = readings.iter().collect();
        assert_eq!(widths(&readings), [2.0; 20]);
    }

    #[test]
    fn interval_that_ends_short_of_the_truth_does_not_hold_it() {
        assert!(reading(110.0, 10.0).holds());
        assert!(!reading(110.0, 9.0).holds());
    }
}
