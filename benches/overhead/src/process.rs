//! Runs a program, and measures what it uses.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use wait4::Wait4 as _;

use crate::{Executables, Group, Profile, run_silently};

/// How the functions that make up the work and the span are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Functions {
    /// Not at all.
    Off,
    /// By sampling, the default.
    Sampled,
    /// By the clock, at each call and return.
    Exact,
}

/// The number of cores for which parallel iterators are split: the default of `workspan run` on a
/// machine with up to this many cores.
const ASSUMED_CORES: u32 = 64;

/// The default of `workspan run`.
const SAMPLES_A_SECOND: &str = "1000";

/// What a process used from its start to its end.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Time that passed.
    pub elapsed: Duration,
    /// Time on processors, in the program and in the kernel.
    pub processor: Duration,
    /// The largest resident memory.
    pub peak_bytes: u64,
}

impl Usage {
    /// Runs a command to its end, without input. What it prints is thrown away.
    ///
    /// # Errors
    /// It cannot be started or fails.
    pub fn from_run(command: &mut Command) -> anyhow::Result<Self> {
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
}

/// A program, and how to run it. All settings but the threads only matter when it is profiled.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Where its builds are.
    pub executables: &'a Executables,
    /// Where it comes from.
    pub group: Group,
    /// The name of its executable.
    pub program: &'a str,
    /// Its arguments.
    pub arguments: &'a [&'a str],
    /// The number of threads of the default pool; `None` for as many as rayon starts here.
    pub threads: Option<u32>,
    /// How its functions are found.
    pub functions: Functions,
    /// Whether the clock is read at every boundary.
    pub exact_timing: bool,
    /// The number of cores for which parallel iterators are split; 0 for the number of threads.
    pub cores: u32,
}

impl<'a> Launch<'a> {
    /// With the settings that `workspan run` has by default.
    pub fn new(
        executables: &'a Executables,
        group: Group,
        program: &'a str,
        arguments: &'a [&'a str],
    ) -> Self {
        Launch {
            executables,
            group,
            program,
            arguments,
            threads: None,
            functions: Functions::Sampled,
            exact_timing: false,
            cores: ASSUMED_CORES,
        }
    }

    /// Runs the plain build.
    ///
    /// # Errors
    /// The program cannot be started or fails.
    pub fn plain(&self) -> anyhow::Result<Usage> {
        let program = self.executables.plain(self.group, self.program);
        Usage::from_run(&mut self.command(&program))
    }

    /// Runs the profiled build without the engine's measuring.
    ///
    /// # Errors
    /// The program cannot be started or fails.
    pub fn unmeasured(&self) -> anyhow::Result<Usage> {
        Usage::from_run(&mut self.command(&self.profiled_path()))
    }

    /// Runs the profiled build with the engine, as the runner of `cargo workspan` starts it by
    /// default.
    ///
    /// # Errors
    /// The program cannot be started, fails, or leaves no complete profile, and so was not
    /// profiled.
    pub fn profiled(&self) -> anyhow::Result<Usage> {
        let folder = tempfile::tempdir().context("cannot make a folder for the profile")?;
        let profile = folder.path().join("raw");
        let mut command = self.command(&self.profiled_path());
        command
            .env("WORKSPAN_PROFILE", &profile)
            .env("WORKSPAN_ASSUME_CORES", self.cores.to_string())
            .env("WORKSPAN_RECORD", folder.path().join("record"));
        if self.exact_timing {
            command.env("WORKSPAN_TIMING", "exact");
        }
        if let Some(threads) = self.threads {
            command.env("WORKSPAN_THREADS", threads.to_string());
        }
        if self.functions == Functions::Sampled {
            command.env("WORKSPAN_SAMPLE_HZ", SAMPLES_A_SECOND);
        }
        let usage = Usage::from_run(&mut command)?;
        let written = fs::read_to_string(&profile)
            .with_context(|| format!("{} left no profile", self.program))?;
        ensure!(
            written.ends_with("end\n"),
            "the profile of {} is incomplete",
            self.program
        );
        Ok(usage)
    }

    /// Runs the profiled build with the engine measuring only the idle time of its threads.
    ///
    /// # Errors
    /// The program cannot be started, fails, or reports no idle time because it was built without
    /// the engine.
    pub fn idle(&self) -> anyhow::Result<Usage> {
        let folder = tempfile::tempdir().context("cannot make a folder for the idle time")?;
        let written = folder.path().join("idle");
        let mut command = self.command(&self.profiled_path());
        let usage = Usage::from_run(command.env("WORKSPAN_IDLE", &written))?;
        ensure!(written.exists(), "{} reports no idle time", self.program);
        Ok(usage)
    }

    /// Runs the profiled build under `workspan run` and reads what that writes as JSON.
    ///
    /// # Errors
    /// The program cannot be started or fails, or there is no profile of it.
    pub fn profile(&self) -> anyhow::Result<Profile> {
        let folder = tempfile::tempdir().context("cannot make a folder for the profile")?;
        self.record(&folder.path().join("profile.wsp"))
    }

    /// Like [`profile`](Self::profile), but keeps the profile with its task dag in the file `kept`.
    ///
    /// # Errors
    /// The program cannot be started or fails, or there is no profile of it.
    pub fn record(&self, kept: &Path) -> anyhow::Result<Profile> {
        let json = kept.with_extension("json");
        let cores = match self.cores {
            0 => "real".to_owned(),
            cores => cores.to_string(),
        };
        let mut command = Command::new(self.executables.workspan());
        command
            .args(["run", "--no-report", "--assume-cores", &cores, "--json"])
            .arg(&json)
            .arg("--output")
            .arg(kept);
        if let Some(threads) = self.threads {
            command.args(["--threads", &threads.to_string()]);
        }
        if self.exact_timing {
            command.env("WORKSPAN_TIMING", "exact");
        }
        match self.functions {
            Functions::Off => command.args(["--sample-hz", "0"]),
            Functions::Sampled => command.args(["--sample-hz", SAMPLES_A_SECOND]),
            Functions::Exact => command.args(["--functions", "exact", "--sample-hz", "0"]),
        };
        command
            .arg("--")
            .arg(self.profiled_path())
            .args(self.arguments);
        run_silently(&mut command)?;
        let text = fs::read_to_string(&json)
            .with_context(|| format!("{} left no profile", self.program))?;
        Profile::parse(&text)
    }

    fn profiled_path(&self) -> PathBuf {
        self.executables.profiled(self.group, self.program)
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.args(self.arguments);
        if let Some(threads) = self.threads {
            command.env("RAYON_NUM_THREADS", threads.to_string());
        }
        command
    }
}
