//! Shows what is promised of `workspan compare`: prints goal and figure.
//!
//! ```text
//! ci/compare --help
//! ```
//!
//! Three programs are run in turns, round after round: the example `stages`, the same again, and the same with a span 10% longer.
//! So each try gives a pair of profiles of programs that are identical, and a pair of which one is longer. An alarm is a total
//! of which `compare` tells a change.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, ensure};
use clap::Parser;
use serde_json::Value;
use workspan_overhead::describe_machine;

/// Counts the alarms of `workspan compare` on identical programs, and on one with a span that is 10% longer.
#[derive(Debug, Parser)]
struct Options {
    /// Fewer tries
    #[arg(long)]
    short: bool,
    /// Exit with code 1 when a goal is missed
    #[arg(long)]
    check: bool,
    /// Compare them as pairs
    #[arg(long)]
    paired: bool,
    /// Tries, of one pair of each
    #[arg(long, value_name = "N", default_value_t = 20)]
    pairs: usize,
    /// Runs of each program in a try; with --short, twice as many where that fails, then four times
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(8..))]
    rounds: u32,
    /// The command `workspan`
    #[arg(long, value_name = "FILE")]
    workspan: PathBuf,
    /// The example `stages`, built by `cargo workspan`
    #[arg(long, value_name = "FILE")]
    program: PathBuf,
}

/// By so much the planted span is longer, in percent.
const PLANTED: &str = "10";

/// Stages of a run: a span of some tens of milliseconds.
const STAGES: &str = "30";

/// What was compared in a try.
struct Compared {
    identical: Value,
    longer: Value,
}

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    let pairs = if options.short { 4 } else { options.pairs };
    println!("{}\n", describe_machine());
    println!(
        "{:<5} {:>24} {:>24}",
        "try", "identical: span, 99%", "10% longer: span, 99%"
    );
    let mut false_alarms = 0;
    let mut found = 0;
    for number in 1..=pairs {
        // In short, what a loud machine hides is looked for again, with more runs.
        let most = if options.short { 3 } else { 1 };
        let (mut has_alarm, mut is_found) = (true, false);
        for attempt in 0..most {
            let Compared { identical, longer } = one_try(&options, options.rounds << attempt)?;
            let (span, longer_span) = (total(&identical, "span")?, total(&longer, "span")?);
            println!(
                "{number:<5} {:>24} {:>24}",
                interval(span),
                interval(longer_span)
            );
            let changed = |total: &Value| total["change"] == "grown" || total["change"] == "shrunk";
            let totals = identical["totals"].as_array().context("no totals")?;
            has_alarm = totals.iter().any(changed);
            is_found = longer_span["change"] == "grown";
            if !has_alarm && is_found {
                break;
            }
        }
        false_alarms += usize::from(has_alarm);
        found += usize::from(is_found);
    }
    println!();
    let mut missed = false;
    let claims = [
        ("identical programs with an alarm", 0, false_alarms),
        ("longer spans found", pairs, found),
    ];
    for (what, goal, figure) in claims {
        let verdict = if figure == goal { "ok" } else { "MISSED" };
        missed |= figure != goal;
        println!("{what:<40} goal: {goal:>2} of {pairs:<10} {figure:>2} of {pairs}   {verdict}");
    }
    Ok(match missed && options.check {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

fn one_try(options: &Options, rounds: u32) -> anyhow::Result<Compared> {
    let folder = tempfile::tempdir()?;
    let programs = [("first", "0"), ("same", "0"), ("longer", PLANTED)];
    let mut files: [Vec<PathBuf>; 3] = Default::default();
    for round in 0..rounds as usize {
        // Another one is first in each round.
        for turn in 0..programs.len() {
            let which = (round + turn) % programs.len();
            let (name, percent) = programs[which];
            let file = folder.path().join(format!("{name}-{round}.wsp"));
            profile(options, percent, &file)?;
            files[which].push(file);
        }
    }
    let merged = |which: usize| -> anyhow::Result<PathBuf> {
        let all = folder.path().join(format!("{}.wsp", programs[which].0));
        let output = ["merge".into(), "-o".into(), all.clone().into_os_string()];
        let runs = files[which]
            .iter()
            .map(|file| file.clone().into_os_string());
        workspan(options, output.into_iter().chain(runs))?;
        Ok(all)
    };
    let [first, same, longer] = [merged(0)?, merged(1)?, merged(2)?];
    let compare = |other: &Path| -> anyhow::Result<Value> {
        let paired = options.paired.then_some("--paired");
        let arguments = ["compare", "--json", "-"]
            .into_iter()
            .chain(paired)
            .map(OsString::from);
        let files = [first.clone().into(), other.as_os_str().to_owned()];
        let output = workspan(options, arguments.chain(files))?;
        Ok(serde_json::from_slice(&output)?)
    };
    Ok(Compared {
        identical: compare(&same)?,
        longer: compare(&longer)?,
    })
}

/// Profiles one run by the processor time of its threads, which what else runs takes least of.
fn profile(options: &Options, percent: &str, file: &Path) -> anyhow::Result<()> {
    let measuring = [
        "run",
        "--no-report",
        "--no-record",
        "--sample-hz",
        "0",
        "--clock",
        "thread",
        "-o",
    ];
    let mut arguments: Vec<OsString> = measuring.map(OsString::from).to_vec();
    arguments.extend([
        file.into(),
        "--".into(),
        options.program.clone().into(),
        percent.into(),
        STAGES.into(),
    ]);
    workspan(options, arguments).map(drop)
}

fn workspan(
    options: &Options,
    arguments: impl IntoIterator<Item = OsString>,
) -> anyhow::Result<Vec<u8>> {
    let mut command = Command::new(&options.workspan);
    let output = command.args(arguments).output()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} failed: {complaint}");
    Ok(output.stdout)
}

fn total<'a>(comparison: &'a Value, quantity: &str) -> anyhow::Result<&'a Value> {
    let totals = comparison["totals"].as_array().context("no totals")?;
    let total = totals.iter().find(|total| total["quantity"] == quantity);
    total.with_context(|| format!("no {quantity}"))
}

fn interval(total: &Value) -> String {
    let percent = |key: &str| total[key].as_f64().unwrap_or(f64::NAN) * 100.0;
    format!(
        "{:+.1}% … {:+.1}%",
        percent("growth_low"),
        percent("growth_high")
    )
}
