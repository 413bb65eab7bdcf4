//! What it takes to read profiles of growing size, and to make something of them: time and peak memory of each command on a
//! profile and on one eight times as large. Both may grow with the size and its logarithm, not with its square.
//!
//! ```text
//! cargo run --release --package workspan-overhead --bin reading -- --help
//! ```
#![forbid(unsafe_code)]

mod made_profile;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context as _, bail};
use clap::Parser;
use wait4::Wait4 as _;
use workspan_format::wsp;
use workspan_overhead::{Table, describe_machine};

use made_profile::{Shape, made};

/// Time and peak memory of commands on profiles of growing size. Ends with exit code 1 where one grows faster than it may.
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

/// Twice the size takes 2.3 times as much where it grows with its logarithm, and some noise.
const MOST_GROWTH: f64 = 2.0 * TIMES as f64;

/// Name of a command, its arguments before the profile and after it.
const COMMANDS: &[(&str, &[&str], &[&str])] = &[
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
        "goal",
        "",
    ]);
    let mut is_met = true;
    for shape in Shape::ALL {
        let size = shape.size() / if options.short { 4 } else { 1 };
        let sizes = [size, TIMES * size];
        let files = sizes.map(|size| folder.path().join(format!("{}-{size}.wsp", shape.name())));
        for (file, size) in files.iter().zip(sizes) {
            let (profile, dag) = made(shape, size);
            wsp::write(file, &profile, Some(&dag))?;
        }
        for command in COMMANDS {
            let [small, large] =
                [&files[0], &files[1]].map(|file| measured(&options.workspan, command, file));
            let (small, large) = (small?, large?);
            let growth = large.0 / small.0.max(1e-3);
            let of_memory = large.1 as f64 / small.1 as f64;
            let is_good = growth <= MOST_GROWTH && of_memory <= MOST_GROWTH;
            is_met &= is_good;
            table.add([
                shape.name().to_owned(),
                size.to_string(),
                command.0.to_owned(),
                format!("{:.3} s", small.0),
                format!("{:.3} s", large.0),
                format!("{growth:.1}"),
                megabytes(small.1),
                megabytes(large.1),
                format!("{of_memory:.1}"),
                format!("<= {MOST_GROWTH:.0}"),
                if is_good { "ok" } else { "MISSED" }.to_owned(),
            ]);
        }
    }
    println!("{table}");
    Ok(ExitCode::from(u8::from(!is_met)))
}

/// Seconds and peak memory, in bytes, of a command on a profile.
fn measured(
    workspan: &Path,
    (name, before, after): &(&str, &[&str], &[&str]),
    profile: &Path,
) -> anyhow::Result<(f64, u64)> {
    let page = profile.with_extension("html");
    let mut command = Command::new(workspan);
    command.args(*before).arg(profile);
    for argument in *after {
        match *argument {
            "PAGE" => command.arg(&page),
            argument => command.arg(argument),
        };
    }
    let start = Instant::now();
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("{} cannot be started", workspan.display()))?;
    let ended = child.wait4()?;
    if !ended.status.success() {
        bail!(
            "`workspan {name}` of {} failed: {}",
            profile.display(),
            ended.status
        );
    }
    Ok((start.elapsed().as_secs_f64(), ended.rusage.maxrss))
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
