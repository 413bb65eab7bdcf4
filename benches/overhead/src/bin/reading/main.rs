//! What it takes to read and process profiles of growing size: time and peak memory of each command
//! on a profile and on one eight times as large. Both may grow with the size and its logarithm, not
//! with its square.
//!
//! ```text
//! cargo run --release --package workspan-overhead --bin reading -- --help
//! ```
#![forbid(unsafe_code)]

mod made_profile;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::Parser;
use workspan_format::wsp;
use workspan_gate::{Form, Gates};
use workspan_overhead::{Table, Usage, describe_machine, median, megabytes};

use made_profile::{Shape, made};

/// Judges how time and peak memory of commands grow with the size of a profile. Exit code 1: a gate
/// fails.
#[derive(Debug, Parser)]
struct Options {
    /// The command to measure
    #[arg(long, value_name = "FILE", default_value = "target/release/workspan")]
    workspan: PathBuf,
    /// Profiles of a quarter of the size
    #[arg(long)]
    short: bool,
}

/// How much larger the second profile is.
const TIMES: usize = 8;

/// Runs of each command on a profile.
const RUNS: usize = 3;

/// Name of a command, its arguments before the profile and after it.
type Invocation = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// A figure of a run.
type Figure = fn(&Usage) -> f64;

const COMMANDS: &[Invocation] = &[
    ("report", &["report"], &[]),
    ("report --tree", &["report"], &["--tree"]),
    ("report --json", &["report"], &["--json", "/dev/null"]),
    ("report --csv", &["report"], &["--csv", "/dev/null"]),
    ("report --html", &["report"], &["--html", "PAGE"]),
    (
        "export speedscope",
        &["export"],
        &["--format", "speedscope", "-o", "/dev/null"],
    ),
    (
        "export flamegraph",
        &["export"],
        &["--format", "flamegraph", "-o", "/dev/null"],
    ),
    ("dag", &["dag"], &[]),
    ("advise", &["advise"], &[]),
    (
        "whatif",
        &["whatif"],
        &["--region", "root", "--parallelise", "4"],
    ),
];

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    println!("{}\n", describe_machine());
    let folder = tempfile::tempdir()?;
    let mut table = Table::new([
        "profile",
        "size",
        "command",
        "time",
        "of 8 times",
        "growth",
        "memory",
        "of 8 times",
        "growth",
    ]);
    let mut gates = Gates::open("reading", Form::from_short(options.short))?;
    for shape in Shape::ALL {
        let size = shape.size() / if options.short { 4 } else { 1 };
        let sizes = [size, TIMES * size];
        let files = sizes.map(|size| folder.path().join(format!("{}-{size}.wsp", shape.name())));
        for (file, size) in files.iter().zip(sizes) {
            let (profile, dag) = made(shape, size);
            wsp::write(file, &profile, Some(&dag))?;
        }
        for command in COMMANDS {
            let run = |file: &Path| measured(&options.workspan, command, file);
            let pair = |_| Ok((run(&files[0])?, run(&files[1])?));
            let runs = || (0..RUNS).map(pair).collect::<anyhow::Result<Vec<_>>>();
            let (runs, machine) = gates.watch(runs)?;
            let small = |figure: Figure| median(runs.iter().map(|pair| figure(&pair.0)));
            let large = |figure: Figure| median(runs.iter().map(|pair| figure(&pair.1)));
            let growth = |figure: Figure| -> Vec<f64> {
                let growth = runs.iter().map(|pair| figure(&pair.1) / figure(&pair.0));
                growth.collect()
            };
            let seconds: Figure = |usage| usage.elapsed.as_secs_f64();
            let bytes: Figure = |usage| usage.peak_bytes as f64;
            let (growth_of_time, growth_of_memory) = (growth(seconds), growth(bytes));
            table.add([
                shape.name().to_owned(),
                size.to_string(),
                command.0.to_owned(),
                format!("{:.3} s", small(seconds)),
                format!("{:.3} s", large(seconds)),
                format!("{:.1}", median(growth_of_time.iter().copied())),
                megabytes(small(bytes)),
                megabytes(large(bytes)),
                format!("{:.1}", median(growth_of_memory.iter().copied())),
            ]);
            let name = format!("{} {}", shape.name(), command.0).replace(' ', "-");
            gates.judge(&format!("{name}/time"), &growth_of_time, machine)?;
            gates.judge(&format!("{name}/memory"), &growth_of_memory, machine)?;
        }
    }
    println!("{table}");
    Ok(gates.finish()?.into())
}

/// What a command uses on a profile.
fn measured(
    workspan: &Path,
    (_, before, after): &Invocation,
    profile: &Path,
) -> anyhow::Result<Usage> {
    let page = profile.with_extension("html");
    let mut command = Command::new(workspan);
    command.args(*before).arg(profile);
    for argument in *after {
        match *argument {
            "PAGE" => command.arg(&page),
            argument => command.arg(argument),
        };
    }
    Usage::from_run(command.stderr(Stdio::null()))
}
