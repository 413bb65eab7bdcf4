//! Predicts the speedup of the benchmark suite from one recorded run each, and measures it on the cores that there are.
//!
//! ```text
//! cargo run --release --package workspan-overhead --bin predict -- --help
//! ```
#![forbid(unsafe_code)]

mod figures;
mod programs;
mod tables;

use std::path::Path;
use std::process::{Command, ExitCode};
use std::thread;

use anyhow::Context as _;
use clap::Parser;
use workspan_overhead::{
    Executables, Functions, Group, Launch, Threads, Timing, describe_machine, median, run_silently,
};

use figures::{Figures, Measured, Predicted};
use programs::{PROGRAMS, Program};

/// Predicts the speedup of the programs of the benchmark suite, and measures it on the cores that there are.
///
/// Each program is recorded once, on one thread, cut for 64 cores. Its plain build then runs on 1, 2, 4 … threads, as far as
/// there are cores, in turns; the measured speedup is the time on one over the time on several, the median over the turns. A
/// busy machine makes it less: min - max says how much.
#[derive(Debug, Parser)]
struct Options {
    /// Smaller inputs and 3 turns
    #[arg(long)]
    short: bool,
    /// Exit with code 1 when a goal is missed
    #[arg(long)]
    check: bool,
    /// How often each program runs on each number of threads [default: 7; 3 with --short]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    turns: Option<u16>,
    /// Only the programs whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

impl Options {
    fn turns(&self) -> u16 {
        self.turns.unwrap_or(if self.short { 3 } else { 7 })
    }
}

/// What parallel iterators are cut for: the default of `workspan run` on a small machine.
const ASSUMED_CORES: u32 = 64;

/// What is predicted: the first column is the program's.
const CORES: [u32; 7] = [0, 2, 4, 8, 16, 32, 64];
const HEADINGS: [&str; 7] = ["program", "2", "4", "8", "16", "32", "64"];

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    let chosen = |program: &&Program| {
        let text = options.only.as_ref();
        text.is_none_or(|text| program.name.contains(text.as_str()))
    };
    let executables = Executables::build()?;
    let cores = cores_to_measure();
    let mut figures = Vec::new();
    for program in PROGRAMS.iter().filter(chosen) {
        let of = figures_of(&executables, program, &cores, &options)
            .with_context(|| format!("{} cannot be measured", program.name))?;
        eprintln!("{}", program.name);
        figures.push(of);
    }
    println!(
        "{} turns on {}, {} inputs.\n",
        options.turns(),
        describe_machine(),
        if options.short { "small" } else { "full" },
    );
    println!(
        "## Predicted and measured\n\n{}",
        tables::comparison(&figures)
    );
    println!(
        "## Lower bound / prediction / upper bound\n\n{}",
        tables::curves(&figures, CORES, HEADINGS)
    );
    let verdicts: Vec<bool> = figures.iter().flat_map(verdicts).collect();
    let met = verdicts.iter().filter(|&&met| met).count();
    println!(
        "{met} of {} goals met; {} have none, since their work grows with the cores.",
        verdicts.len(),
        figures.len() * cores.len() - verdicts.len()
    );
    Ok(if options.check && met < verdicts.len() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// 2, 4, 8 … as far as the machine has cores.
fn cores_to_measure() -> Vec<u32> {
    let most = thread::available_parallelism().map_or(1, usize::from) as u32;
    std::iter::successors(Some(2), |cores| Some(cores * 2))
        .take_while(|&cores| cores <= most)
        .collect()
}

fn verdicts(figures: &Figures) -> impl Iterator<Item = bool> {
    figures.measured.iter().filter_map(|measured| {
        let predicted = figures.predicted_on(measured.cores)?;
        measured.is_met(predicted)
    })
}

fn figures_of(
    executables: &Executables,
    program: &'static Program,
    cores: &[u32],
    options: &Options,
) -> anyhow::Result<Figures> {
    let launch = |threads| Launch {
        arguments: if options.short {
            program.short
        } else {
            program.full
        },
        threads,
        functions: Functions::Off,
    };
    let workspan = executables.workspan();
    let profiled = executables.profiled(Group::Suite, program.name);
    let folder = tempfile::tempdir().context("cannot make a folder for the profile")?;
    let kept = folder.path().join("recorded.wsp");
    let one = launch(Threads::One);
    let recorded = one.record(&workspan, &profiled, Timing::Default, ASSUMED_CORES, &kept)?;
    let work = recorded.work()?.as_secs_f64();
    let mut measured = cores
        .iter()
        .map(|&cores| {
            let threads = launch(Threads::Count(cores));
            let run = |_| {
                let profile =
                    threads.profile(&workspan, &profiled, Timing::Default, ASSUMED_CORES)?;
                Ok(profile.work()?.as_secs_f64())
            };
            let works: Vec<f64> = (0..3).map(run).collect::<anyhow::Result<_>>()?;
            Ok(Measured {
                cores,
                speedups: Vec::new(),
                inflation: median(works.into_iter()) / work - 1.0,
            })
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let plain = executables.plain(Group::Suite, program.name);
    let seconds = |threads| -> anyhow::Result<f64> {
        Ok(launch(threads).plain(&plain)?.elapsed.as_secs_f64())
    };
    let mut times_on_one = Vec::new();
    for _ in 0..options.turns() {
        let time = seconds(Threads::One)?;
        times_on_one.push(time);
        for measured in &mut measured {
            let on_several = seconds(Threads::Count(measured.cores))?;
            measured.speedups.push(time / on_several);
        }
    }
    Ok(Figures {
        program: program.name,
        one: times_on_one,
        work,
        measured,
        predicted: predict(&workspan, &kept)?,
    })
}

fn predict(workspan: &Path, recorded: &Path) -> anyhow::Result<Vec<Predicted>> {
    let cores: Vec<String> = CORES[1..].iter().map(u32::to_string).collect();
    let mut command = Command::new(workspan);
    command
        .arg("predict")
        .arg(recorded)
        .args(["--json", "-", "--cores", &cores.join(",")]);
    Predicted::all(&run_silently(&mut command)?)
}
