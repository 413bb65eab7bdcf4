//! Judges what is promised about call sites and functions.
//!
//! ```text
//! cargo run --release --package workspan-overhead --bin functions -- --help
//! ```
#![forbid(unsafe_code)]

mod agreement;
mod cost;
mod reading;
mod repair;
mod tables;

use std::process::ExitCode;

use clap::Parser;
use reading::Reading;
use workspan_gate::{Form, Gates};
use workspan_overhead::{Executables, describe_machine};

/// Judges what is promised of call sites and functions: three tables of Cilkprof reproduced,
/// functions by sampling against exactly, what both cost, and a bottleneck found and repaired. Exit
/// code 1: a gate fails.
#[derive(Debug, Parser)]
struct Options {
    /// Smaller inputs, fewer runs and programs, and not what both cost
    #[arg(long)]
    short: bool,
    /// Only the part whose name contains this: tables, agreement, cost, repair
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    let mut gates = Gates::open("functions", Form::from_short(options.short))?;
    let executables = Executables::build()?;
    println!("{}\n", describe_machine());
    type Part = fn(&Executables, bool) -> anyhow::Result<Vec<Reading>>;
    let parts: [(&str, Part); 4] = [
        ("tables", tables::readings),
        ("agreement", agreement::readings),
        ("cost", |executables, _| cost::readings(executables)),
        ("repair", repair::readings),
    ];
    let only = options.only.as_deref().unwrap_or_default();
    let chosen = |name: &str| name.contains(only);
    let left_out = |name: &str| options.short && name == "cost";
    let parts = parts.into_iter();
    for (_, readings) in parts.filter(|(name, _)| chosen(name) && !left_out(name)) {
        let (readings, machine) = gates.watch(|| readings(&executables, options.short))?;
        for Reading { gate, runs } in readings {
            gates.judge(&gate, &runs, machine)?;
        }
        println!();
    }
    Ok(gates.finish()?.into())
}
