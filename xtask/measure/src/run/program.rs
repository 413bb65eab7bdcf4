//! A program that is built twice, plain and profiled, and run in many ways.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use super::{Profile, Usage, array, cargo, number, succeed, target};
use crate::judge::root;

/// A program with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The folder of the commands and of plain builds.
    folder: PathBuf,
    plain: PathBuf,
    profiled: PathBuf,
    arguments: Vec<String>,
    /// The number of threads of the default pool; `None` for as many as rayon starts here.
    threads: Option<u32>,
    /// Whether it runs on one core, so that every runtime has one thread.
    is_pinned: bool,
}

/// A way to run a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The plain build.
    Plain,
    /// The profiled build, with the engine measuring nothing.
    Unmeasured,
    /// The engine measures nothing but the idle time of its threads.
    Idle,
    /// Profiled as `workspan run` does by default, but without samples.
    Unsampled,
    /// Profiled as `workspan run` does by default: sampled, recorded, cut for 64 cores.
    Profiled,
    /// Under `workspan run --functions exact`.
    Exact,
    /// Under `workspan run --emulate`.
    Emulated,
}

/// Options of `workspan run` that count emulated instructions.
pub(crate) const EMULATED: [&str; 4] = ["--metric", "instructions", "--emulate", "--still-clock"];

impl Program {
    /// A program that is built already.
    pub(crate) fn new(file: &str, arguments: &[&str]) -> anyhow::Result<Self> {
        let folder = target()?.join("release");
        Ok(Program {
            plain: folder.join(file),
            profiled: target()?.join("workspan/release").join(file),
            folder,
            arguments: arguments
                .iter()
                .map(|&argument| argument.to_owned())
                .collect(),
            threads: None,
            is_pinned: false,
        })
    }

    /// A program of C or C++, which is profiled as it is, on one core.
    pub(crate) fn native(executable: PathBuf) -> anyhow::Result<Self> {
        Ok(Program {
            plain: executable.clone(),
            profiled: executable,
            is_pinned: true,
            ..Self::new("", &[])?
        })
    }

    /// Builds a program of this workspace plain and profiled. No command only builds the latter, so
    /// it is run, with arguments `least` that leave it nothing to do. `kind` is `bin` or `example`.
    pub(crate) fn build(
        package: &str,
        kind: &str,
        name: &str,
        least: &[&str],
    ) -> anyhow::Result<Self> {
        let kind_option = format!("--{kind}");
        let what = [
            "--release",
            "--quiet",
            "--package",
            package,
            &kind_option,
            name,
        ];
        cargo(&[&["build"], &what[..]].concat())?;
        let folder = if kind == "example" { "examples/" } else { "" };
        let program = Self::new(&format!("{folder}{name}"), &[])?;
        let mut command = Command::new(program.command_file("cargo-workspan"));
        command
            .args(["workspan", "run", "--no-report"])
            .args(what)
            .arg("--")
            .args(least);
        succeed(command.current_dir(root()?))?;
        Ok(program)
    }

    /// The same program with other arguments.
    pub(crate) fn with(&self, arguments: &[&str]) -> Self {
        let arguments = arguments
            .iter()
            .map(|&argument| argument.to_owned())
            .collect();
        Program {
            arguments,
            ..self.clone()
        }
    }

    /// The same program on a number of threads.
    pub(crate) fn on(&self, threads: u32) -> Self {
        Program {
            threads: Some(threads),
            ..self.clone()
        }
    }

    /// The profiled executable.
    pub(crate) fn profiled(&self) -> &Path {
        &self.profiled
    }

    /// One of workspan's commands.
    pub(crate) fn command_file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn start(&self, executable: &Path) -> Command {
        if !self.is_pinned {
            return Command::new(executable);
        }
        let mut command = Command::new("taskset");
        command
            .args(["-c", "0"])
            .arg(executable)
            .env("OMP_NUM_THREADS", "1");
        command
    }

    /// A build with the arguments and threads of this program.
    fn command(&self, executable: &Path) -> Command {
        let mut command = self.start(executable);
        command.args(&self.arguments);
        if let Some(threads) = self.threads {
            command.env("RAYON_NUM_THREADS", threads.to_string());
        }
        command
    }

    /// What the plain program prints.
    pub(crate) fn printed(&self) -> anyhow::Result<String> {
        Ok(String::from_utf8(
            succeed(&mut self.command(&self.plain))?.stdout,
        )?)
    }

    /// Runs it once. It is an error if it was not measured as the mode says.
    pub(crate) fn run(&self, mode: Mode) -> anyhow::Result<Usage> {
        let folder = tempfile::tempdir()?;
        let [profile, idle] = ["profile", "idle"].map(|name| folder.path().join(name));
        let mut command = self.command(&match mode {
            Mode::Plain => self.plain.clone(),
            _ => self.profiled.clone(),
        });
        match mode {
            Mode::Plain | Mode::Unmeasured => {}
            Mode::Idle => _ = command.env("WORKSPAN_IDLE", &idle),
            Mode::Unsampled | Mode::Profiled => {
                command
                    .env("WORKSPAN_PROFILE", &profile)
                    .env("WORKSPAN_ASSUME_CORES", "64")
                    .env("WORKSPAN_RECORD", folder.path().join("record"));
                if mode == Mode::Profiled {
                    command.env("WORKSPAN_SAMPLE_HZ", "1000");
                }
                if let Some(threads) = self.threads {
                    command.env("WORKSPAN_THREADS", threads.to_string());
                }
            }
            // The command prepares these runs.
            Mode::Exact => {
                let totals = self.profile(&["--functions", "exact", "--sample-hz", "0"])?;
                let elapsed = number(&totals.json, "/totals/elapsed_ns")? / 1e9;
                let (processor, peak) = (0.0, 0.0);
                return Ok(Usage {
                    elapsed,
                    processor,
                    peak,
                });
            }
            Mode::Emulated => {
                command = self.run_command(folder.path());
                self.finish_command(command.args(EMULATED));
            }
        }
        let usage = Usage::from_run(&mut command)?;
        let is_measured = match mode {
            Mode::Idle => idle.exists(),
            Mode::Unsampled | Mode::Profiled => {
                let raw = fs::read_to_string(&profile);
                raw.is_ok_and(|text| text.ends_with("end\n"))
            }
            _ => true,
        };
        ensure!(
            is_measured,
            "{} left no complete result",
            self.profiled.display()
        );
        Ok(usage)
    }

    /// Profiles it once under `workspan run`, with more options.
    pub(crate) fn profile(&self, options: &[&str]) -> anyhow::Result<Profile> {
        let folder = tempfile::tempdir()?;
        let mut command = self.run_command(folder.path());
        self.finish_command(command.args(options));
        let printed = succeed(&mut command)?.stdout;
        Profile::read(folder, printed).with_context(|| format!("{command:?}"))
    }

    fn run_command(&self, folder: &Path) -> Command {
        let mut command = self.start(&self.command_file("workspan"));
        command
            .args(["run", "--no-report", "--json"])
            .arg(folder.join("json"));
        command.arg("--output").arg(folder.join("wsp"));
        if let Some(threads) = self.threads {
            command.args(["--threads", &threads.to_string()]);
        }
        command
    }

    fn finish_command(&self, command: &mut Command) {
        command.arg("--").arg(&self.profiled).args(&self.arguments);
    }

    /// The instructions that Valgrind counts in the plain program on one thread.
    pub(crate) fn instructions(&self) -> anyhow::Result<f64> {
        let folder = tempfile::tempdir()?;
        let log = folder.path().join("log");
        let mut command = Command::new("valgrind");
        command
            .args([
                "--tool=cachegrind",
                "--cache-sim=no",
                "--cachegrind-out-file=/dev/null",
            ])
            .arg(format!("--log-file={}", log.display()))
            .arg(&self.plain)
            .args(&self.arguments)
            .env("RAYON_NUM_THREADS", "1");
        succeed(&mut command)?;
        let text = fs::read_to_string(log)?;
        let count = text.lines().find_map(|line| line.split_once("refs:"));
        let (_, count) = count.context("valgrind counted nothing")?;
        Ok(count.trim().replace(',', "").parse()?)
    }

    /// The instructions of its work by emulation, its parallel iterators split as in a plain run.
    pub(crate) fn emulated_work(&self) -> anyhow::Result<f64> {
        let options = [&EMULATED[..], &["--assume-cores", "real"]].concat();
        number(&self.profile(&options)?.json, "/totals/work_count")
    }

    /// The predictions of `workspan predict` from a kept profile, one for each number of cores.
    pub(crate) fn predicted(&self, kept: &Path, cores: &[u32]) -> anyhow::Result<Vec<[f64; 3]>> {
        let cores: Vec<String> = cores.iter().map(u32::to_string).collect();
        let mut command = Command::new(self.command_file("workspan"));
        command
            .arg("predict")
            .arg(kept)
            .args(["--json", "-", "--cores", &cores.join(",")]);
        let document = serde_json::from_slice(&succeed(&mut command)?.stdout)?;
        let rows = array(&document, "/speedup")?.iter();
        rows.map(|row| {
            let [lower, median, upper] = ["/lower", "/median", "/upper"];
            Ok([
                number(row, lower)?,
                number(row, median)?,
                number(row, upper)?,
            ])
        })
        .collect()
    }
}

/// Runs a program in each mode, turn by turn, after a plain run that does not count. Each turn
/// starts with another mode, so that a drift favours none. The usages of a turn are in the order of
/// `modes`.
pub(crate) fn in_turns<const MODES: usize>(
    program: &Program,
    modes: [Mode; MODES],
    turns: usize,
) -> anyhow::Result<Vec<[Usage; MODES]>> {
    let first = program.run(Mode::Plain)?;
    let turn = |number: usize| {
        let mut usages = [first; MODES];
        for next in 0..MODES {
            let at = (number + next) % MODES;
            usages[at] = program.run(modes[at])?;
        }
        Ok(usages)
    };
    (0..turns).map(turn).collect()
}
