//! Measures what profiling costs: runs each case study of `examples/` plain and profiled, in
//! turns, and prints the ratios of their wall times beside the goals.
//!
//! ```text
//! cargo run --release --package workspan-overhead -- --help
//! ```
#![forbid(unsafe_code)]

mod comparison;
mod executables;
mod process;
mod programs;
mod table;

use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser;

use comparison::{Comparison, geometric_mean};
use executables::Executables;
use programs::{MEAN_GOAL, Program, SHORT_ROOM, Size};

/// Compares the profiled runs of the examples with their plain runs.
#[derive(Debug, Parser)]
struct Options {
    /// Smaller inputs and 3 pairs; --check then allows 1.5 times the goals
    #[arg(long)]
    short: bool,
    /// Exit with code 1 when a goal is missed
    #[arg(long)]
    check: bool,
    /// How often each program runs plain and profiled [default: 7; 3 with --short]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pairs: Option<u16>,
    /// The number of cores that profiled programs are cut for; repeat it for more tables. The
    /// goals are for `real`, which leaves the plain run's tasks as they are
    #[arg(long, value_name = "N|real", default_values = ["real"], value_parser = assumed_cores)]
    assume_cores: Vec<u32>,
    /// Only the programs whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// The value of `WORKSPAN_ASSUME_CORES` that a word stands for.
fn assumed_cores(word: &str) -> Result<u32, String> {
    match word.parse() {
        _ if word == "real" => Ok(0),
        Ok(cores) if cores > 0 => Ok(cores),
        _ => Err("give a number of cores or `real`".to_owned()),
    }
}

impl Options {
    fn size(&self) -> Size {
        if self.short { Size::Short } else { Size::Full }
    }

    fn pairs(&self) -> u16 {
        self.pairs.unwrap_or(if self.short { 3 } else { 7 })
    }

    fn programs(&self) -> impl Iterator<Item = &'static Program> {
        programs::PROGRAMS.iter().filter(|program| {
            self.only
                .as_ref()
                .is_none_or(|text| program.name.contains(text.as_str()))
        })
    }

    /// By how much a goal may be missed under `--check`.
    fn room(&self) -> f64 {
        if self.short { SHORT_ROOM } else { 1.0 }
    }
}

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    let executables = Executables::build()?;
    let mut met = true;
    println!("{}", table::heading(options.size(), options.pairs()));
    for &cores in &options.assume_cores {
        let comparisons = options
            .programs()
            .map(|program| compare(program, &executables, &options, cores))
            .collect::<anyhow::Result<Vec<Comparison>>>()?;
        let goals_hold = cores == 0;
        println!("{}", table::table(&comparisons, cores, goals_hold));
        met &= !goals_hold || goals_are_met(&comparisons, options.room());
    }
    if options.check && !met {
        eprintln!(
            "a goal is missed by more than the factor {}",
            options.room()
        );
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs a program plain and profiled in turns, after one run of each that is not counted.
fn compare(
    program: &'static Program,
    executables: &Executables,
    options: &Options,
    cores: u32,
) -> anyhow::Result<Comparison> {
    let arguments = program.arguments(options.size());
    let plain = || process::run_plain(&executables.plain(program.example), arguments);
    let profiled =
        || process::run_profiled(&executables.profiled(program.example), arguments, cores);
    let measure = || -> anyhow::Result<Comparison> {
        plain()?;
        profiled()?;
        let mut comparison = Comparison::new(program);
        for pair in 0..options.pairs() {
            // Whatever drifts favours either side equally often.
            if pair % 2 == 0 {
                let plain = plain()?;
                comparison.add(plain, profiled()?);
            } else {
                let profiled = profiled()?;
                comparison.add(plain()?, profiled);
            }
        }
        Ok(comparison)
    };
    measure().with_context(|| format!("{} cannot be measured", program.name))
}

fn goals_are_met(comparisons: &[Comparison], room: f64) -> bool {
    let mean = geometric_mean(comparisons.iter().map(Comparison::ratio));
    mean <= MEAN_GOAL * room
        && comparisons.iter().all(|comparison| {
            let goal = comparison.program.goal;
            goal.is_none_or(|goal| comparison.ratio() <= goal * room)
        })
}
