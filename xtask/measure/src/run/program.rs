//! A program that is built twice, plain and profiled, and run in many ways.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use super::{Profile, Usage, cargo, number, succeed};
use crate::checkout::{root, target};

/// A program with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    plain: PathBuf,
    profiled: PathBuf,
    /// Words between blanks.
    arguments: String,
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
const EMULATED: &str = "--metric instructions --emulate --still-clock";

impl Program {
    /// A program of rayon that is built already; `file` is its executable in the folder of a build.
    pub(crate) fn new(file: &str, arguments: &str) -> anyhow::Result<Self> {
        Ok(Program {
            plain: target()?.join("release").join(file),
            profiled: target()?.join("workspan/release").join(file),
            arguments: arguments.to_owned(),
            threads: None,
            is_pinned: false,
        })
    }

    /// A program of C or C++, which is profiled as it is, on one core.
    pub(crate) fn native(executable: PathBuf) -> Self {
        Program {
            plain: executable.clone(),
            profiled: executable,
            arguments: String::new(),
            threads: None,
            is_pinned: true,
        }
    }

    /// Builds one of the examples plain and profiled. No command only builds the latter, so it is run,
    /// with arguments `least` that leave it nothing to do.
    pub(crate) fn example(name: &str, least: &str) -> anyhow::Result<Self> {
        Self::build(
            &format!("--package workspan-examples --example {name}"),
            least,
        )?;
        Self::new(&format!("examples/{name}"), "")
    }

    /// Builds the known programs plain and profiled.
    pub(crate) fn known() -> anyhow::Result<Self> {
        Self::build("--package workspan-testkit --bin known", "")?;
        Self::new("known", "")
    }

    fn build(what: &str, least: &str) -> anyhow::Result<()> {
        cargo(&format!("build --release --quiet {what}"))?;
        let mut command = Command::new(target()?.join("release/cargo-workspan"));
        let line = format!("workspan run --no-report --release --quiet {what} -- {least}");
        succeed(command.args(line.split_whitespace()).current_dir(root()?)).map(drop)
    }

    /// The same program with other arguments.
    pub(crate) fn with(&self, arguments: &str) -> Self {
        Program {
            arguments: arguments.to_owned(),
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

    /// The profiled executable with its arguments.
    pub(crate) fn profiled(&self) -> impl Iterator<Item = &str> {
        let profiled = self.profiled.to_str();
        profiled
            .into_iter()
            .chain(self.arguments.split_whitespace())
    }

    fn start(&self, executable: &Path) -> Command {
        if !self.is_pinned {
            return Command::new(executable);
        }
        let mut command = Command::new("taskset");
        command.args(["-c", "0"]).arg(executable);
        command.env("OMP_NUM_THREADS", "1");
        command
    }

    /// A build with the arguments and threads of this program.
    fn command(&self, executable: &Path) -> Command {
        let mut command = self.start(executable);
        command.args(self.arguments.split_whitespace());
        if let Some(threads) = self.threads {
            command.env("RAYON_NUM_THREADS", threads.to_string());
        }
        command
    }

    /// What the plain program prints.
    pub(crate) fn printed(&self) -> anyhow::Result<String> {
        let printed = succeed(&mut self.command(&self.plain))?.stdout;
        Ok(String::from_utf8(printed)?)
    }

    /// Runs it once. It is an error if it was not measured as the mode says.
    pub(crate) fn run(&self, mode: Mode) -> anyhow::Result<Usage> {
        let folder = tempfile::tempdir()?;
        let [profile, idle] = ["profile", "idle"].map(|name| folder.path().join(name));
        let mut command = match mode {
            Mode::Plain => self.command(&self.plain),
            Mode::Emulated => self.under_workspan(folder.path(), EMULATED)?,
            _ => self.command(&self.profiled),
        };
        match mode {
            Mode::Plain | Mode::Unmeasured | Mode::Emulated => {}
            Mode::Idle => _ = command.env("WORKSPAN_IDLE", &idle),
            Mode::Unsampled | Mode::Profiled => {
                command.env("WORKSPAN_PROFILE", &profile);
                command.env("WORKSPAN_ASSUME_CORES", "64");
                command.env("WORKSPAN_RECORD", folder.path().join("record"));
                if mode == Mode::Profiled {
                    command.env("WORKSPAN_SAMPLE_HZ", "1000");
                }
                if let Some(threads) = self.threads {
                    command.env("WORKSPAN_THREADS", threads.to_string());
                }
            }
            // The command prepares these runs, and only the profile has their time.
            Mode::Exact => {
                let exact = self.profile("--functions exact --sample-hz 0")?;
                let (processor, peak) = (f64::NAN, f64::NAN);
                let elapsed = number(&exact.json, "/totals/elapsed_ns")? / 1e9;
                return Ok(Usage {
                    elapsed,
                    processor,
                    peak,
                });
            }
        }
        let usage = Usage::from_run(&mut command)?;
        let is_measured = match mode {
            Mode::Idle => idle.exists(),
            Mode::Unsampled | Mode::Profiled => {
                fs::read_to_string(&profile).is_ok_and(|text| text.ends_with("end\n"))
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
    pub(crate) fn profile(&self, options: &str) -> anyhow::Result<Profile> {
        let folder = tempfile::tempdir()?;
        let mut command = self.under_workspan(folder.path(), options)?;
        let printed = succeed(&mut command)?.stdout;
        Profile::read(folder, printed).with_context(|| format!("{command:?}"))
    }

    fn under_workspan(&self, folder: &Path, options: &str) -> anyhow::Result<Command> {
        let mut command = self.start(&target()?.join("release/workspan"));
        command
            .args(["run", "--no-report", "--json"])
            .arg(folder.join("json"));
        command.arg("--output").arg(folder.join("wsp"));
        if let Some(threads) = self.threads {
            command.args(["--threads", &threads.to_string()]);
        }
        command
            .args(options.split_whitespace())
            .arg("--")
            .args(self.profiled());
        Ok(command)
    }

    /// The instructions that Valgrind counts in the plain program on one thread.
    pub(crate) fn instructions(&self) -> anyhow::Result<f64> {
        let options = "--tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null";
        let mut command = Command::new("valgrind");
        command.args(options.split(' ')).arg(&self.plain);
        command
            .args(self.arguments.split_whitespace())
            .env("RAYON_NUM_THREADS", "1");
        let printed = String::from_utf8(succeed(&mut command)?.stderr)?;
        let count = printed.lines().find_map(|line| line.split_once("refs:"));
        let (_, count) = count.context("valgrind counted nothing")?;
        Ok(count.trim().replace(',', "").parse()?)
    }

    /// The instructions of its work by emulation, its parallel iterators split as in a plain run.
    pub(crate) fn emulated_work(&self) -> anyhow::Result<f64> {
        let profile = self.profile(&format!("{EMULATED} --assume-cores real"))?;
        number(&profile.json, "/totals/work_count")
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
