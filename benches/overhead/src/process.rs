//! One run of a program, and what it used.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use wait4::Wait4 as _;

use crate::Profile;

/// How many threads the default pool has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// As many as rayon starts on this machine.
    All,
    /// One.
    One,
    /// So many.
    Count(u32),
}

impl Threads {
    /// How many, where it is not as many as rayon starts.
    fn count(self) -> Option<String> {
        match self {
            Self::All => None,
            Self::One => Some("1".to_owned()),
            Self::Count(count) => Some(count.to_string()),
        }
    }
}

/// How the engine measures strands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// As it does when nothing is asked for.
    Default,
    /// With a reading of the clock at every boundary.
    Exact,
}

/// How the functions are found that make up the work and the span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Functions {
    /// Not at all.
    Off,
    /// By sampling, as when nothing is asked for.
    Sampled,
    /// By the clock, at each call and return.
    Exact,
}

/// What the command takes by default.
const SAMPLES_A_SECOND: &str = "1000";

/// What a process used from its start to its end.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Time that passed.
    pub elapsed: Duration,
    /// Time on processors, in the program and in the kernel.
    pub processor: Duration,
    /// The most memory that was resident at once.
    pub peak_bytes: u64,
}

/// How to run a program.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Its arguments.
    pub arguments: &'a [&'a str],
    /// Its threads.
    pub threads: Threads,
    /// Its functions, when it is profiled.
    pub functions: Functions,
}

impl Launch<'_> {
    /// Runs a program that was built without the engine.
    ///
    /// # Errors
    /// The program cannot be started or fails.
    pub fn plain(&self, program: &Path) -> anyhow::Result<Usage> {
        run(&mut self.command(program))
    }

    /// Runs a program with the engine, as the runner of `cargo workspan` starts it. `cores` are the
    /// assumed ones, 0 for the machine's.
    ///
    /// # Errors
    /// The program cannot be started, fails, or leaves no complete profile: it was not profiled.
    pub fn profiled(&self, program: &Path, timing: Timing, cores: u32) -> anyhow::Result<Usage> {
        let folder = tempfile::tempdir().context("cannot make a folder for the profile")?;
        let profile = folder.path().join("raw");
        let mut command = self.command(program);
        command.env("WORKSPAN_PROFILE", &profile);
        if cores > 0 {
            command.env("WORKSPAN_ASSUME_CORES", cores.to_string());
        }
        if timing == Timing::Exact {
            command.env("WORKSPAN_TIMING", "exact");
        }
        if let Some(count) = self.threads.count() {
            command.env("WORKSPAN_THREADS", count);
        }
        if self.functions == Functions::Sampled {
            command.env("WORKSPAN_SAMPLE_HZ", SAMPLES_A_SECOND);
        }
        let usage = run(&mut command)?;
        let written = fs::read_to_string(&profile)
            .with_context(|| format!("{} left no profile", program.display()))?;
        ensure!(
            written.ends_with("end\n"),
            "the profile of {} is incomplete",
            program.display()
        );
        Ok(usage)
    }

    /// Runs a program with the engine measuring nothing but the idle time of its threads.
    ///
    /// # Errors
    /// The program cannot be started, fails, or does not tell its idle time: it was built without the engine.
    pub fn idle(&self, program: &Path) -> anyhow::Result<Usage> {
        let folder = tempfile::tempdir().context("cannot make a folder for the idle time")?;
        let written = folder.path().join("idle");
        let usage = run(self.command(program).env("WORKSPAN_IDLE", &written))?;
        ensure!(written.exists(), "{} tells no idle time", program.display());
        Ok(usage)
    }

    /// Runs a program under `workspan run` and reads what it writes as JSON.
    ///
    /// # Errors
    /// The program cannot be started or fails, or there is no profile of it.
    pub fn profile(
        &self,
        workspan: &Path,
        program: &Path,
        timing: Timing,
        cores: u32,
    ) -> anyhow::Result<Profile> {
        let folder = tempfile::tempdir().context("cannot make a folder for the profile")?;
        let kept = folder.path().join("profile.wsp");
        self.record(workspan, program, timing, cores, &kept)
    }

    /// The same, and keeps the profile with its task dag in the file `kept`.
    ///
    /// # Errors
    /// The program cannot be started or fails, or there is no profile of it.
    pub fn record(
        &self,
        workspan: &Path,
        program: &Path,
        timing: Timing,
        cores: u32,
        kept: &Path,
    ) -> anyhow::Result<Profile> {
        let json = kept.with_extension("json");
        let cores = match cores {
            0 => "real".to_owned(),
            cores => cores.to_string(),
        };
        let mut command = Command::new(workspan);
        command
            .args(["run", "--no-report", "--assume-cores", &cores, "--json"])
            .arg(&json)
            .arg("--output")
            .arg(kept);
        if let Some(count) = self.threads.count() {
            command.args(["--threads", &count]);
        }
        if timing == Timing::Exact {
            command.env("WORKSPAN_TIMING", "exact");
        }
        match self.functions {
            Functions::Off => command.args(["--sample-hz", "0"]),
            Functions::Sampled => command.args(["--sample-hz", SAMPLES_A_SECOND]),
            Functions::Exact => command.args(["--functions", "exact", "--sample-hz", "0"]),
        };
        command.arg("--").arg(program).args(self.arguments);
        run_silently(&mut command)?;
        let text = fs::read_to_string(&json)
            .with_context(|| format!("{} left no profile", program.display()))?;
        Profile::parse(&text)
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.args(self.arguments);
        if let Some(count) = self.threads.count() {
            command.env("RAYON_NUM_THREADS", count);
        }
        command
    }
}

/// Runs a command to its end, and gives what it writes on standard output.
///
/// # Errors
/// It cannot be started or fails; what it says on standard error is told.
pub fn run_silently(command: &mut Command) -> anyhow::Result<Vec<u8>> {
    let output = command
        .output()
        .with_context(|| format!("cannot start {command:?}"))?;
    ensure!(
        output.status.success(),
        "{command:?} ended with {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output.stdout)
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
        processor: result.rusage.utime + result.rusage.stime,
        peak_bytes: result.rusage.maxrss,
    })
}
