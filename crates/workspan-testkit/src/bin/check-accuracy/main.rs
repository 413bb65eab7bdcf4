//! Profiles programs with `cargo workspan` and checks how close its figures come: those of the known programs to
//! what these do, and those of other programs to one another, run after run.
//!
//! `ci/accuracy` builds what is needed and runs this. Exit code 1: a figure missed its goal; 2: a
//! program could not be profiled.

mod deviation;
mod load;
mod profiled;
mod spread;

use std::process::ExitCode;

use load::Load;
use spread::{REPEATED, Repeated};
use workspan_testkit::{KNOWN, Known};

const USAGE: &str = "usage: check-accuracy [--short] [PROGRAM...]";

/// What to check.
struct Choice {
    known: Vec<&'static Known>,
    repeated: Vec<&'static Repeated>,
    short: bool,
}

fn main() -> ExitCode {
    let mut short = false;
    let mut names = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--short" => short = true,
            "--keep-busy" => {
                load::keep_busy();
                return ExitCode::SUCCESS;
            }
            name if is_program(name) => names.push(argument),
            other => {
                eprintln!("check-accuracy: no program is called {other:?}\n{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    let is_chosen = |name: &str| names.is_empty() || names.iter().any(|chosen| chosen == name);
    let choice = Choice {
        known: KNOWN.iter().filter(|known| is_chosen(known.name)).collect(),
        repeated: REPEATED
            .iter()
            .filter(|repeated| is_chosen(repeated.name))
            .collect(),
        short,
    };
    match check(&choice) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(missed) => {
            println!("{missed} figures missed their goal by more than the room that is given");
            ExitCode::from(1)
        }
        Err(message) => {
            eprintln!("check-accuracy: {message}");
            ExitCode::from(2)
        }
    }
}

fn is_program(name: &str) -> bool {
    KNOWN.iter().any(|known| known.name == name)
        || REPEATED.iter().any(|repeated| repeated.name == name)
}

/// Prints the tables; the number of figures that missed by more than the room that is given.
fn check(choice: &Choice) -> Result<usize, String> {
    let mut missed = 0;
    if !choice.known.is_empty() {
        deviation::print_heading(choice.short);
        missed += deviation::check(&choice.known, false, choice.short)?;
    }
    let _load = Load::on_every_core()?;
    if !choice.known.is_empty() {
        missed += deviation::check(&choice.known, true, choice.short)?;
    }
    if !choice.repeated.is_empty() {
        missed += spread::check(&choice.repeated, choice.short)?;
    }
    Ok(missed)
}
