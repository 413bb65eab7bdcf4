//! Judges what `workspan compare` promises.
//!
//! ```text
//! ci/compare --help
//! ```
//!
//! Each try runs three programs in turns, round after round: the example `stages`, `stages` again,
//! and `stages` with a span that is 10% longer. This gives a pair of profiles of identical
//! programs, and a pair of which one is longer. An alarm is a total that `compare` reports as
//! changed although the programs are identical.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context as _;
use clap::Parser;
use serde_json::Value;
use workspan_gate::{Form, Gates};
use workspan_overhead::{describe_machine, run_silently};

/// Counts the alarms of `workspan compare` on identical programs, and how often it misses a span
/// that is 10% longer.
#[derive(Debug, Parser)]
struct Options {
    /// 3 tries instead of 20
    #[arg(long)]
    short: bool,
    /// Compare them as pairs
    #[arg(long)]
    paired: bool,
    /// The command `workspan`
    #[arg(long, value_name = "FILE")]
    workspan: PathBuf,
    /// The example `stages`, built by `cargo workspan`
    #[arg(long, value_name = "FILE")]
    program: PathBuf,
}

/// Runs of each program in a try.
const ROUNDS: usize = 20;

/// How much longer the planted span is, in percent.
const PLANTED: &str = "10";

/// Stages of a run: a span of a few tens of milliseconds.
const STAGES: &str = "30";

/// The comparisons of a try, with the identical program and with the longer one.
struct Comparisons {
    identical: Value,
    longer: Value,
}

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    let mut gates = Gates::open("compare", Form::from_short(options.short))?;
    println!("{}\n", describe_machine());
    println!(
        "{:<5} {:>24} {:>24}",
        "try", "identical: span, 99%", "10% longer: span, 99%"
    );
    let tries = if options.short { 3 } else { 20 };
    let ((alarms, missed), machine) = gates.watch(|| {
        let (mut alarms, mut missed) = (0, 0);
        for number in 1..=tries {
            let Comparisons { identical, longer } = one_try(&options)?;
            let (span, longer_span) = (total(&identical, "span")?, total(&longer, "span")?);
            println!(
                "{number:<5} {:>24} {:>24}",
                interval(span),
                interval(longer_span)
            );
            let changed = |total: &Value| total["change"] == "grown" || total["change"] == "shrunk";
            let totals = identical["totals"].as_array().context("no totals")?;
            alarms += u32::from(totals.iter().any(changed));
            missed += u32::from(longer_span["change"] != "grown");
        }
        Ok((alarms, missed))
    })?;
    gates.judge("identical/alarms", &[f64::from(alarms)], machine)?;
    gates.judge("longer/missed", &[f64::from(missed)], machine)?;
    println!();
    Ok(gates.finish()?.into())
}

fn one_try(options: &Options) -> anyhow::Result<Comparisons> {
    let folder = tempfile::tempdir()?;
    let programs = [("first", "0"), ("same", "0"), ("longer", PLANTED)];
    let mut files: [Vec<PathBuf>; 3] = Default::default();
    for round in 0..ROUNDS {
        // Each round starts with another program.
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
    Ok(Comparisons {
        identical: compare(&same)?,
        longer: compare(&longer)?,
    })
}

/// Profiles one run, with the options that a user has by default.
fn profile(options: &Options, percent: &str, file: &Path) -> anyhow::Result<()> {
    let arguments: [OsString; 8] = [
        "run".into(),
        "--no-report".into(),
        "-o".into(),
        file.into(),
        "--".into(),
        options.program.clone().into(),
        percent.into(),
        STAGES.into(),
    ];
    workspan(options, arguments).map(drop)
}

fn workspan(
    options: &Options,
    arguments: impl IntoIterator<Item = OsString>,
) -> anyhow::Result<Vec<u8>> {
    run_silently(Command::new(&options.workspan).args(arguments))
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
