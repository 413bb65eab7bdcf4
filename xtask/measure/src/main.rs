//! Measures workspan itself, and judges what it reads by `ci/goals.toml` and `ci/misses.toml`: what
//! profiling costs, how true the figures are, and how time and memory grow with size.
//!
//! ```text
//! cargo run --release -p xtask -- cost|truth|growth [NAME…] [--short]
//! ```
#![forbid(unsafe_code)]

mod checkout;
mod cost;
mod growth;
mod judge;
mod limits;
mod measuring;
mod run;
mod stamp;
mod table;
mod truth;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser};

use judge::Form;
use measuring::Measuring;

/// Measures workspan itself
#[derive(Debug, Parser)]
enum Options {
    /// What profiling costs, in time and memory
    Cost(Chosen),
    /// How true the figures are, beside what is known
    Truth(Chosen),
    /// How time and memory grow with size
    Growth(Chosen),
    /// Runs a command, and puts a file that it writes into docs/measured/NAME.md
    Page {
        /// The page's name
        name: String,
        /// The file
        file: PathBuf,
        /// The command
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
    /// Keeps a core busy
    #[command(hide = true)]
    KeepBusy,
    /// Times one analysis
    #[command(hide = true)]
    Analyse { name: String, file: String },
}

#[derive(Debug, Args)]
struct Chosen {
    /// Parts, subjects, or PART/SUBJECT; everything if there are none
    names: Vec<String>,
    /// Smaller inputs, fewer runs and subjects
    #[arg(long)]
    short: bool,
    /// Writes all figures into docs/measured/limits.md
    #[arg(long, conflicts_with_all = ["names", "short"])]
    write: bool,
    /// Prints entries for ci/misses.toml of what misses its goal
    #[arg(long)]
    propose: bool,
}

/// One of the three programs.
type Measure = fn(&mut Measuring) -> anyhow::Result<()>;

fn main() -> anyhow::Result<ExitCode> {
    match Options::parse() {
        Options::Cost(chosen) => measure("cost", chosen, cost::measure),
        Options::Truth(chosen) => measure("truth", chosen, truth::measure),
        Options::Growth(chosen) => measure("growth", chosen, growth::measure),
        Options::Page {
            name,
            file,
            command,
        } => limits::write_file(&name, &file, &command),
        Options::KeepBusy => {
            truth::keep_busy();
            Ok(ExitCode::SUCCESS)
        }
        Options::Analyse { name, file } => {
            growth::analyse(&name, &file)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Exit code 1: a gate fails, or a complete run has left one out.
fn measure(program: &'static str, chosen: Chosen, measure: Measure) -> anyhow::Result<ExitCode> {
    let form = if chosen.short {
        Form::Short
    } else {
        Form::Full
    };
    let stamp = stamp::Stamp::begin()?;
    let mut measuring = Measuring::new(program, form, chosen.names)?;
    measure(&mut measuring)?;
    let wrong = measuring.gates.finish(measuring.is_complete())?;
    if chosen.propose {
        measuring.gates.propose(&run::output("date +%F")?);
    }
    if chosen.write {
        limits::write_figures(&measuring.gates, program, &stamp.end()?)?;
    }
    wrong.iter().for_each(|wrong| println!("{wrong}"));
    Ok(ExitCode::from(u8::from(!wrong.is_empty())))
}
