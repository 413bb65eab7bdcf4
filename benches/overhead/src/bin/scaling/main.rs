//! Measures how the case studies scale, and judges what `workspan scale` and `bandwidth` report
//! against what is known about them.
//!
//! ```text
//! cargo run --release --package workspan-overhead --bin scaling -- --help
//! ```
#![forbid(unsafe_code)]

mod figures;
mod idle_cost;
mod studies;
mod tables;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context as _;
use clap::Parser;
use workspan_gate::{Form, Gates};
use workspan_overhead::{
    Executables, Group, Launch, SUITE, describe_machine, geometric_mean, median, run_silently,
};

use figures::{Copies, Figures};
use idle_cost::IdleCost;
use studies::{Expected, MEASURED_IDLE, STUDIES, Study};

/// Measures how the case studies scale, and judges what is found by what is known of them. Exit
/// code 1: a gate fails.
///
/// Each study runs under `workspan scale --factored --elision` on all numbers of threads up to the
/// machine's, some under `workspan bandwidth`, too. What is known: the idle time of `spins`; that
/// `sharing shared` loses to work inflation and not to idle time, and `sharing padded` to neither.
/// Shares are of the time of all cores.
#[derive(Debug, Parser)]
struct Options {
    /// Only what is known, smaller and with 5 runs
    #[arg(long)]
    short: bool,
    /// How often each program runs on each number of threads [default: 10; 5 with --short]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    runs: Option<u16>,
    /// Only the studies whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Keep the plots and texts here
    #[arg(long, value_name = "FOLDER")]
    gallery: Option<PathBuf>,
}

impl Options {
    fn runs(&self) -> u16 {
        self.runs.unwrap_or(if self.short { 5 } else { 10 })
    }

    fn includes(&self, name: &str) -> bool {
        name.contains(self.only.as_deref().unwrap_or_default())
    }
}

/// Sweeps of a study about which something is known.
const SWEEPS: usize = 3;

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    let mut gates = Gates::open("scaling", Form::from_short(options.short))?;
    let executables = Executables::build()?;
    let scratch = tempfile::tempdir().context("cannot make a folder for the results")?;
    let folder = options.gallery.as_deref().unwrap_or(scratch.path());
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let folder = &folder.canonicalize()?;

    let mut measured = Vec::new();
    let mut copies = Vec::new();
    let chosen = STUDIES.iter().filter(|study| options.includes(study.name));
    for study in chosen.filter(|study| !options.short || !study.short.is_empty()) {
        eprintln!("{}", study.name);
        let failure = || format!("{} cannot be measured", study.name);
        let sweeps = match study.expected {
            Expected::Shown => 1,
            _ => SWEEPS,
        };
        let sweep = |_| sweep(&executables, study, &options, folder);
        let swept = || (0..sweeps).map(sweep).collect::<anyhow::Result<Vec<_>>>();
        let (swept, machine) = gates.watch(swept).with_context(failure)?;
        for (gate, readings) in known_figures(study, arguments(study, &options), &swept) {
            gates.judge(&format!("{}/{gate}", study.name), &readings, machine)?;
        }
        measured.extend(swept.into_iter().map(|figures| (study, figures)));
        if study.copies && !options.short {
            copies.push((
                study,
                at_once(&executables, study, &options, folder).with_context(failure)?,
            ));
        }
    }
    let chosen = MEASURED_IDLE.iter().filter(|it| options.includes(it.0));
    let (costs, machine) = gates.watch(|| {
        let mut costs = Vec::new();
        for &program in chosen {
            eprintln!("{}", program.0);
            for threads in [1, 2] {
                costs.push(idle_cost(&executables, program, threads, options.runs())?);
            }
        }
        Ok(costs)
    })?;
    for (subject, have_tiny_tasks) in [("tiny-tasks", true), ("larger-tasks", false)] {
        let means = mean_costs(&costs, have_tiny_tasks, options.runs());
        if !means.is_empty() {
            gates.judge(&format!("{subject}/measuring"), &means, machine)?;
        }
    }

    println!("{} runs each on {}.\n", options.runs(), describe_machine());
    println!(
        "## Speedups, and where the cores' time goes\n\n{}",
        tables::scaling(&measured)
    );
    if !copies.is_empty() {
        println!("## Copies at once\n\n{}", tables::copies(&copies));
    }
    if !costs.is_empty() {
        println!(
            "## What measuring idle time costs\n\n{}",
            tables::idle_cost(&costs)
        );
    }
    println!("## Goals\n");
    Ok(gates.finish()?.into())
}

/// The figures about which something is known, in percent, and the runs whose times do not add up,
/// for each sweep.
fn known_figures(
    study: &Study,
    arguments: &[&str],
    swept: &[Figures],
) -> Vec<(&'static str, Vec<f64>)> {
    let each = |figure: &dyn Fn(&Figures) -> f64| swept.iter().map(figure).collect::<Vec<_>>();
    let inflation = each(&|figures| 100.0 * figures.inflation_share);
    let mut known = match study.expected {
        Expected::IdleTime => {
            let off = |figures: &Figures| {
                100.0 * (figures.idle.value / known_idle(arguments, figures.threads) - 1.0)
            };
            vec![("idle-off", each(&off)), ("inflation", inflation)]
        }
        Expected::Inflation | Expected::Neither => vec![
            ("inflation", inflation),
            ("idle", each(&|figures| 100.0 * figures.idle_share)),
        ],
        Expected::Shown => Vec::new(),
    };
    known.push(("imbalances", each(&|figures| figures.imbalances as f64)));
    known
}

/// The idle time of `spins SHORT LONG ROUNDS` on `threads` threads, in seconds: the time of all
/// cores without the two branches.
fn known_idle(arguments: &[&str], threads: u32) -> f64 {
    let numbers: Vec<f64> = arguments
        .iter()
        .map_while(|text| text.parse().ok())
        .collect();
    let &[short, long, rounds] = numbers.as_slice() else {
        unreachable!("spins has three numbers, not {arguments:?}")
    };
    rounds * (f64::from(threads) * long - long - short) / 1e3
}

/// For each turn, what measuring idle time costs: the geometric mean over the programs with tiny
/// tasks, or over the others.
fn mean_costs(costs: &[IdleCost], have_tiny_tasks: bool, turns: u16) -> Vec<f64> {
    let chosen: Vec<&IdleCost> = costs
        .iter()
        .filter(|cost| cost.has_tiny_tasks == have_tiny_tasks)
        .collect();
    if chosen.is_empty() {
        return Vec::new();
    }
    (0..usize::from(turns))
        .map(|turn| geometric_mean(chosen.iter().map(|cost| cost.measuring[turn])))
        .collect()
}

fn sweep(
    executables: &Executables,
    study: &Study,
    options: &Options,
    folder: &Path,
) -> anyhow::Result<Figures> {
    let kept = |extension: &str| folder.join(study.name).with_extension(extension);
    let mut command = Command::new(executables.cargo_workspan());
    command
        .args(["workspan", "scale", "--release", "--quiet"])
        .args(["--package", "workspan-examples", "--target-dir"])
        .arg(executables.target())
        .args(["--example", study.example, "--factored", "--elision"])
        .args(["--runs", &options.runs().to_string()]);
    for (option, extension) in [("--json", "json"), ("--svg", "svg"), ("--report", "txt")] {
        command.arg(option).arg(kept(extension));
    }
    if !study.serial.is_empty() {
        executables.build_plain_example(study.example)?;
        let mut baseline = executables
            .plain(Group::Examples, study.example)
            .into_os_string();
        for argument in study.serial {
            baseline.push(OsStr::new(" "));
            baseline.push(argument);
        }
        command.arg("--baseline").arg(baseline);
    }
    command.arg("--").args(arguments(study, options));
    run_silently(&mut command)?;
    Figures::parse(&fs::read(kept("json"))?)
}

fn at_once(
    executables: &Executables,
    study: &Study,
    options: &Options,
    folder: &Path,
) -> anyhow::Result<Copies> {
    let kept = |extension: &str| folder.join(format!("{}-copies.{extension}", study.name));
    let mut command = Command::new(executables.workspan());
    // The command keeps its runs in the current folder.
    command.current_dir(folder);
    command.args(["bandwidth", "--runs", &options.runs().to_string()]);
    for (option, extension) in [("--json", "json"), ("--report", "txt")] {
        command.arg(option).arg(kept(extension));
    }
    command
        .arg("--")
        .arg(executables.plain(Group::Examples, study.example))
        .args(arguments(study, options));
    run_silently(&mut command)?;
    Copies::parse(&fs::read(kept("json"))?)
}

fn arguments<'a>(study: &'a Study, options: &Options) -> &'a [&'static str] {
    if options.short {
        study.short
    } else {
        study.full
    }
}

fn idle_cost(
    executables: &Executables,
    (name, has_tiny_tasks): (&'static str, bool),
    threads: u32,
    turns: u16,
) -> anyhow::Result<IdleCost> {
    let program = SUITE.iter().find(|program| program.name == name);
    let program = program.with_context(|| format!("the suite has no {name}"))?;
    let arguments = program.arguments(Form::Short);
    let launch = Launch {
        threads: Some(threads),
        ..Launch::new(executables, program.group, program.executable, arguments)
    };
    let mut times = Vec::new();
    let mut build = Vec::new();
    let mut measuring = Vec::new();
    for _ in 0..turns {
        let plain = launch.plain()?.elapsed.as_secs_f64();
        let unmeasured = launch.unmeasured()?.elapsed.as_secs_f64();
        let measured = launch.idle()?.elapsed.as_secs_f64();
        times.push(plain);
        build.push(unmeasured / plain);
        measuring.push(measured / unmeasured);
    }
    Ok(IdleCost {
        program: name,
        has_tiny_tasks,
        threads,
        plain: median(times.into_iter()),
        build,
        measuring,
    })
}
