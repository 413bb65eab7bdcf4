//! Predicts the speedup of the programs of the benchmark suite, each from one recorded run, and
//! measures it on the cores that there are.
//!
//! ```text
//! cargo run --release --package workspan-overhead --bin predict -- --help
//! ```
#![forbid(unsafe_code)]

mod figures;
mod tables;

use std::path::Path;
use std::process::{Command, ExitCode};
use std::thread;

use anyhow::{Context as _, ensure};
use clap::Parser;
use workspan_gate::{Form, Gates};
use workspan_overhead::{
    Executables, Functions, Launch, Profile, Program, SUITE, describe_machine, run_silently,
};

use figures::{Figures, Predicted, Several, Turn};

/// Predicts the speedup of the programs of the benchmark suite, and measures it on the cores that
/// there are.
///
/// A turn records the program on one thread, cut for 64 cores, and predicts from that; it runs the
/// plain program on 1, 2, 4 and 8 threads, as far as there are cores; and it profiles the program
/// on each number of threads, for the inflation. Judged is the median over the turns. Exit code 1:
/// a gate fails.
#[derive(Debug, Parser)]
struct Options {
    /// Smaller inputs and 5 turns instead of 9
    #[arg(long)]
    short: bool,
    /// Only the programs whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

impl Options {
    fn turns(&self) -> u16 {
        if self.short { 5 } else { 9 }
    }
}

/// The columns of the predictions. The first is for the program's name.
const CORES: [u32; 7] = [0, 2, 4, 8, 16, 32, 64];
const HEADINGS: [&str; 7] = ["program", "2", "4", "8", "16", "32", "64"];

/// The most cores to measure on: there are goals for 2, 4 and 8.
const MOST_CORES: u32 = 8;

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    let form = Form::from_short(options.short);
    let only = options.only.as_deref().unwrap_or_default();
    let chosen = |program: &&Program| program.name.contains(only) && !program.exact_timing;
    let executables = Executables::build()?;
    let cores = cores_to_measure();
    ensure!(!cores.is_empty(), "one core has no speedup to measure");
    let mut gates = Gates::open("predict", form)?;
    let mut figures = Vec::new();
    for program in SUITE.iter().filter(chosen) {
        eprintln!("{}", program.name);
        let arguments = program.arguments(form);
        let turns = 0..options.turns();
        let turn = |_| turn(&executables, program, arguments, &cores);
        let (turns, machine) = gates
            .watch(|| turns.map(turn).collect())
            .with_context(|| format!("{} cannot be measured", program.name))?;
        let measured = Figures {
            program: program.name,
            turns,
        };
        for &cores in &cores {
            let ratios = measured.each(|turn| turn.speedup_over_predicted(cores));
            let gate = format!("{}/speedup-{cores}", program.name);
            gates.judge(&gate, &ratios, machine)?;
            let beyond = measured.each(|turn| turn.beyond_range(cores));
            let gate = format!("{}/beyond-range-{cores}", program.name);
            gates.judge(&gate, &beyond, machine)?;
        }
        figures.push(measured);
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
    println!("## Goals\n");
    Ok(gates.finish()?.into())
}

/// 2, 4 and 8, up to the machine's number of cores.
fn cores_to_measure() -> Vec<u32> {
    let most = thread::available_parallelism().map_or(1, usize::from) as u32;
    std::iter::successors(Some(2), |cores| Some(cores * 2))
        .take_while(|&cores| cores <= most.min(MOST_CORES))
        .collect()
}

fn turn(
    executables: &Executables,
    program: &Program,
    arguments: &[&str],
    cores: &[u32],
) -> anyhow::Result<Turn> {
    let launch = |threads| Launch {
        threads: Some(threads),
        functions: Functions::Off,
        ..Launch::new(executables, program.group, program.executable, arguments)
    };
    let seconds =
        |threads| -> anyhow::Result<f64> { Ok(launch(threads).plain()?.elapsed.as_secs_f64()) };
    let work =
        |profile: Profile| -> anyhow::Result<f64> { Ok(profile.whole()?.work.as_secs_f64()) };
    let folder = tempfile::tempdir().context("cannot make a folder for the profile")?;
    let kept = folder.path().join("recorded.wsp");
    let recorded = launch(1).record(&kept)?;
    let several = |&cores: &u32| {
        Ok(Several {
            cores,
            seconds: seconds(cores)?,
            work: work(launch(cores).profile()?)?,
        })
    };
    Ok(Turn {
        one: seconds(1)?,
        work: work(recorded)?,
        several: cores.iter().map(several).collect::<anyhow::Result<_>>()?,
        predicted: predict(&executables.workspan(), &kept)?,
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
