//! One run of a program, and what it used.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use wait4::Wait4 as _;

/// What a process used from its start to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    pub(crate) elapsed: Duration,
    /// The most memory that was resident at once.
    pub(crate) peak_bytes: u64,
}

/// Runs a program with the engine off, or with no engine.
///
/// # Errors
/// The program cannot be started or fails.
pub(crate) fn run_plain(program: &Path, arguments: &[&str]) -> anyhow::Result<Usage> {
    run(Command::new(program).args(arguments))
}

/// Runs a program with the engine on, as the runner of `cargo workspan` starts it.
///
/// # Errors
/// The program cannot be started, fails, or leaves no complete profile: it was not profiled.
pub(crate) fn run_profiled(
    program: &Path,
    arguments: &[&str],
    assumed_cores: u32,
) -> anyhow::Result<Usage> {
    let folder = tempfile::tempdir().context("cannot make a folder for the profile")?;
    let profile = folder.path().join("raw");
    let usage = run(Command::new(program)
        .args(arguments)
        .env("WORKSPAN_PROFILE", &profile)
        .env("WORKSPAN_ASSUME_CORES", assumed_cores.to_string()))?;
    let written = fs::read_to_string(&profile)
        .with_context(|| format!("{} left no profile", program.display()))?;
    ensure!(
        written.ends_with("end\n"),
        "the profile of {} is incomplete",
        program.display()
    );
    Ok(usage)
}

fn run(command: &mut Command) -> anyhow::Result<Usage> {
    let started = Instant::now();
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))?;
    let result = child.wait4().context("cannot wait for a program")?;
    let elapsed = started.elapsed();
    ensure!(
        result.status.success(),
        "{command:?} ended with {}",
        result.status
    );
    Ok(Usage {
        elapsed,
        peak_bytes: result.rusage.maxrss,
    })
}
