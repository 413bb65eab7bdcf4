//! Runs a program again and again with different numbers of threads, and reports how it scales.
//!
//! The command supplies the [`settings`]. [`processors`] and [`conditions`] describe the machine,
//! and [`mod@expected`] is what a profile predicts. [`measurement`] runs the [`job`]s in
//! [`rounds`], each as one or more [`process`]es, and saves every run to a file ([`kept`]).
//! [`results`] passes the sweep to the renderers.

mod activity;
mod commands;
mod conditions;
mod counterpart;
mod expected;
mod figures;
mod job;
mod kept;
mod launcher;
mod measurement;
mod placeholder;
mod printed;
mod problems;
mod process;
mod processors;
mod progress;
mod results;
mod rounds;
mod settings;
mod slurm;
mod taken;
mod timed;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::anyhow;
use tempfile::TempDir;
use workspan_format::wsp;
use workspan_model::{Exit, SWEEP_VERSION, Sweep, SweepMachine};

use crate::digest::digest;
use crate::exit_code::{Failure, OUTPUT, OrExit as _, PROFILE, SETUP};
use crate::history;
use crate::machine;
use crate::message;
use crate::process::{Interruption, exit_code, locate, program_name};
use commands::Commands;
use expected::Expected;
use measurement::{Measurement, Outcome};
use process::Input;
use processors::Processors;

pub(crate) use counterpart::{expected_of, sweep_of};
pub(crate) use expected::expected;
pub(crate) use figures::Figures;
pub(crate) use kept::{check_writable, decode, write as write_runs};
pub(crate) use launcher::Launcher;
pub(crate) use placeholder::filled_in;
pub(crate) use results::Results;
pub(crate) use rounds::{Progress, order};
pub(crate) use settings::{FactoredRuns, Measured, Settings};
pub(crate) use slurm::Slurm;
pub(crate) use timed::run as run_timed;

/// The result of a profiled run before a sweep.
pub(crate) struct ProfileBefore {
    /// The profile. If there is none, the reason has been printed.
    pub(crate) file: Option<PathBuf>,
    /// The folder of the profile, which is deleted once the profile has been read.
    pub(crate) folder: TempDir,
    /// Has watched for signals since the profiled run began.
    pub(crate) interruption: Interruption,
}

/// Measures `command`, a program with its arguments, which the runner `through` starts if it is not
/// empty. If the settings name no profile, `profile`, if there is one, makes it once everything
/// that could refuse the sweep has been checked. Returns the exit code of the first run that
/// failed.
pub(crate) fn measure(
    settings: &Settings,
    through: Vec<String>,
    command: Vec<OsString>,
    profile: Option<&dyn Fn() -> Result<Option<ProfileBefore>, Failure>>,
) -> Result<ExitCode, Failure> {
    if command.is_empty() {
        return Err(Failure::new(
            SETUP,
            anyhow!("there is no program to measure"),
        ));
    }
    let numbers = settings.measured.numbers();
    let given = settings.profile.as_deref();
    let mut expected = given
        .map(|file| self::expected(file, numbers))
        .transpose()?;
    let is_predicted = expected.is_some() || profile.is_some() && !settings.runs_elsewhere();
    let commands = Commands::new(settings, through, command, expected.as_ref(), is_predicted)?;
    let processors = Processors::of_this_machine();
    let machine = if settings.runs_elsewhere() {
        unknown_machine()
    } else {
        let machine = describe_machine(&processors);
        report_conditions(&machine, &processors, &settings.measured);
        machine
    };
    let (input, is_lost) = Input::of_this_process();
    if is_lost {
        message::warning(
            "standard input is a pipe, which can be read once only: runs read nothing. `< FILE` is read by every run",
        );
    }
    let file = sweep_file(settings, &commands);
    kept::check_writable(&file).or_exit(PROFILE)?;
    let sweep = new_or_resumed(settings, &commands, machine, &file)?;
    let before = match (&expected, profile) {
        (None, Some(profile)) => profile()?,
        _ => None,
    };
    // Not earlier, so that until here a signal simply ends this process or the profiled run.
    let interruption = match before {
        Some(ProfileBefore {
            file,
            folder,
            interruption,
        }) => {
            let file = file.as_deref();
            expected = file.map(|file| self::expected(file, numbers)).transpose()?;
            drop(folder);
            interruption
        }
        None => Interruption::watch().or_exit(SETUP)?,
    };
    if !settings.resume {
        history::set_aside(&file);
    }
    let measurement = Measurement::new(
        settings,
        &commands,
        sweep,
        &file,
        &processors,
        input,
        &interruption,
    )?;
    let outcome = measurement.measure()?;
    finish(settings, &outcome, expected.as_ref(), &file)
}

/// Says how to see the sweep in `file` on the page of the profile next to it. A page that exists
/// is older than the sweep. It is not rewritten, because the options it was made with are unknown.
fn mention_page(file: &Path, sweep: &Sweep) {
    if let Some(profile) = counterpart::profile_of(file)
        && let Ok(run) = wsp::read_run(&profile)
        && counterpart::is_same_command(&sweep.command, &run.command)
    {
        message::note(format_args!(
            "`workspan report {} --open` shows it on the page, beside what was to be expected",
            message::in_shell(&profile)
        ));
    }
}

/// Writes the results, unless the sweep was interrupted.
fn finish(
    settings: &Settings,
    outcome: &Outcome,
    expected: Option<&Expected>,
    file: &Path,
) -> Result<ExitCode, Failure> {
    if let Some(signal) = outcome.interrupted {
        let error = match outcome.sweep.runs.len() {
            0 => anyhow!("interrupted by signal {signal} before the first run had ended"),
            runs => anyhow!(
                "interrupted by signal {signal} after {runs} runs, which {} keeps: the same command with --resume continues",
                file.display()
            ),
        };
        return Err(Failure::new(exit_code(Exit::Signal(signal)), error));
    }
    message::note(format_args!(
        "sweep kept in {} (--resume adds runs to it)",
        file.display()
    ));
    mention_page(file, &outcome.sweep);
    let mut code = match outcome.failure {
        Some(exit) => exit_code(exit).max(1),
        None if outcome.differs => OUTPUT,
        None => 0,
    };
    if outcome.is_empty {
        return Err(Failure::new(
            code,
            anyhow!("no run succeeded: there is nothing to report"),
        ));
    }
    let curves = expected.map(|expected| &expected.curves);
    for failure in settings.results.write(&outcome.sweep, curves) {
        message::error(&failure);
        if code == 0 {
            code = PROFILE;
        }
    }
    Ok(ExitCode::from(code))
}

/// A sweep without runs, or the one in `file` if it is to be resumed.
fn new_or_resumed(
    settings: &Settings,
    commands: &Commands,
    machine: SweepMachine,
    file: &Path,
) -> Result<Sweep, Failure> {
    let text = |words: &[OsString]| -> Vec<String> {
        let lossy = |word: &OsString| word.to_string_lossy().into_owned();
        words.iter().map(lossy).collect()
    };
    let digest_of = |command: &[OsString]| {
        let contents = fs::read(locate(Path::new(command.first()?)));
        Some(digest(&contents.ok()?))
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let sweep = Sweep {
        version: SWEEP_VERSION,
        command: text(&commands.plain),
        program_digest: digest_of(&commands.plain),
        baseline: commands.baseline.as_deref().map(text),
        baseline_digest: commands.baseline.as_deref().and_then(digest_of),
        threads_variable: commands.threads_variable.clone(),
        runtime: commands.runtime,
        stand_in: commands.stand_in(),
        pinning: settings.pinning(),
        launcher: match (&settings.launcher, &settings.slurm) {
            (Some(launcher), _) => Some(launcher.to_string()),
            (None, Some(slurm)) => Some(slurm.to_string()),
            (None, None) => None,
        },
        machine,
        started_at: now.map_or(0, |time| time.as_secs()),
        threads: match &settings.measured {
            Measured::Threads { threads, .. } => threads.clone(),
            Measured::Copies(_) => vec![1],
        },
        runs_wanted: settings.runs,
        seed: settings.seed,
        workspan_version: env!("CARGO_PKG_VERSION").to_owned(),
        runs: Vec::new(),
    };
    if !settings.resume {
        return Ok(sweep);
    }
    let resumed = kept::resumed(file, &sweep).or_exit(PROFILE)?;
    match &resumed {
        Some(kept) => message::note(format_args!(
            "{} runs are in {} already",
            kept.runs.len(),
            file.display()
        )),
        None => message::note(format_args!(
            "there is no {} yet: the sweep begins",
            file.display()
        )),
    }
    Ok(resumed.unwrap_or(sweep))
}

/// The file that keeps the sweep.
fn sweep_file(settings: &Settings, commands: &Commands) -> PathBuf {
    if let Some(file) = &settings.file {
        return file.clone();
    }
    let name = program_name(Path::new(&commands.plain[0]));
    let what = match settings.measured {
        Measured::Threads { .. } => "sweep",
        Measured::Copies(_) => "bandwidth",
    };
    let folder = settings.home.clone().unwrap_or_default();
    folder.join(format!("{name}.{what}.json"))
}

fn describe_machine(processors: &Processors) -> SweepMachine {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    SweepMachine {
        cores: number(processors.count()),
        physical_cores: Some(number(processors.cores())),
        sockets: Some(number(processors.sockets())),
        processor: machine::processor(),
        os: std::env::consts::OS.to_owned(),
        architecture: std::env::consts::ARCH.to_owned(),
        conditions: conditions::detect(processors),
    }
}

/// The machine of runs that something else starts. Each run reports its number of processors when
/// it ends.
fn unknown_machine() -> SweepMachine {
    SweepMachine {
        cores: 1,
        os: std::env::consts::OS.to_owned(),
        architecture: std::env::consts::ARCH.to_owned(),
        ..SweepMachine::default()
    }
}

fn report_conditions(machine: &SweepMachine, processors: &Processors, measured: &Measured) {
    for condition in &machine.conditions {
        message::note(workspan_report::condition_sentence(condition));
    }
    let noun = match measured {
        Measured::Threads { .. } => "threads",
        Measured::Copies(_) => "copies",
    };
    for warning in conditions::shortage_warnings(processors, noun, measured.numbers()) {
        message::warning(warning);
    }
}

/// Standard input for a run, from the current position of this process.
pub(crate) fn input_of_a_run() -> anyhow::Result<Stdio> {
    Input::of_this_process().0.open()
}

impl Measured {
    /// The numbers of threads or of copies.
    fn numbers(&self) -> &[u32] {
        match self {
            Self::Threads { threads, .. } => threads,
            Self::Copies(copies) => copies,
        }
    }
}
