//! Profiles programs whose dag is known. Checks how far work, span and parallelism are from the
//! true figures, how often intervals contain these, and how far the parallelism of a program varies
//! from run to run.
//!
//! `ci/accuracy` builds what is needed and runs this. Exit code 1: a gate fails; 2: a program could
//! not be profiled.

mod coverage;
mod deviation;
mod load;
mod program;
mod spread;

use std::process::ExitCode;

use anyhow::ensure;
use load::Load;
use program::{Program, is_chosen};
use spread::{REPEATED, Repeated};
use workspan_gate::{Form, Gates};
use workspan_testkit::{KNOWN, Known, Truth};

const USAGE: &str = "usage: check-accuracy [--short] [--coverage | --single-runs] [PROGRAM...]";

fn main() -> ExitCode {
    let mut form = Form::Full;
    let mut checked: fn(&[String], Form) -> anyhow::Result<u8> = check;
    let mut names = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--short" => form = Form::Short,
            "--coverage" => checked = coverage::check,
            "--single-runs" => checked = coverage::check_single_runs,
            "--keep-busy" => {
                load::keep_busy();
                return ExitCode::SUCCESS;
            }
            _ => names.push(argument),
        }
    }
    match checked(&names, form) {
        Ok(code) => code.into(),
        Err(error) => {
            eprintln!("check-accuracy: {error:#}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Checks the named programs; without names, those of the form.
fn check(names: &[String], form: Form) -> anyhow::Result<u8> {
    for name in names {
        let is_known = KNOWN.iter().any(|known| known.name == name)
            || REPEATED.iter().any(|repeated| repeated.name == name);
        ensure!(is_known, "no program is called {name}");
    }
    let chosen = |short: &[&str]| -> Vec<&Known> {
        let is_chosen = |known: &&Known| is_chosen(known.name, names, form, short);
        KNOWN.iter().filter(is_chosen).collect()
    };
    let quiet = chosen(deviation::SHORT);
    let mut loaded = chosen(deviation::SHORT_LOADED);
    loaded.retain(|known| matches!(known.truth, Truth::Time { .. }));
    let repeated: Vec<&Repeated> = REPEATED
        .iter()
        .filter(|repeated| is_chosen(repeated.name, names, Form::Full, &[]))
        .collect();

    let mut codes = Vec::new();
    if !quiet.is_empty() {
        let target = ["--package", "workspan-testkit", "--bin", "accuracy"];
        let program = Program::build(&target, "accuracy", &[])?;
        let mut gates = Gates::open("accuracy", form)?;
        deviation::check(&mut gates, &program, &quiet, form, false)?;
        let load = Load::on_every_core()?;
        deviation::check(&mut gates, &program, &loaded, form, true)?;
        drop(load);
        codes.push(gates.finish()?);
    }
    if !repeated.is_empty() {
        let mut gates = Gates::open("spread", form)?;
        let programs = spread::build(&repeated)?;
        let load = Load::on_every_core()?;
        spread::check(&mut gates, &programs, form)?;
        drop(load);
        codes.push(gates.finish()?);
    }
    Ok(codes.into_iter().max().unwrap_or_default())
}
