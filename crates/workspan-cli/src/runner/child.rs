//! Runs the profiled process.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use workspan_model::Exit;

use super::files::RawFiles;
use super::functions::FunctionsFile;
use super::launch::Launch;
use super::thread_watch::{Seen, ThreadWatch};
use crate::emulation::Emulation;
use crate::exit_code::{Failure, OrExit as _, SETUP};
use crate::native::Start;
use crate::process;
use crate::process::Forwarder;
use crate::process::binary;
use crate::process::{cannot_start, exit};

/// A run that has ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) exit: Exit,
    pub(super) started_at: SystemTime,
    pub(super) elapsed: Duration,
    pub(super) seen: Seen,
}

/// Runs the program to its end, with the engine on and writing to `files`. The engine measures
/// `functions` exactly.
pub(super) fn run(
    launch: &Launch,
    files: &RawFiles,
    functions: Option<&FunctionsFile>,
) -> Result<Ended, Failure> {
    let mut command = command(launch, files).or_exit(SETUP)?;
    match functions {
        Some(functions) => command.env("WORKSPAN_FUNCTIONS", functions.path()),
        None => command.env_remove("WORKSPAN_FUNCTIONS"),
    };
    let forwarder = Forwarder::install().map_err(|error| Failure::new(SETUP, error))?;
    let started_at = SystemTime::now();
    let started = Instant::now();
    let mut child = command
        .spawn()
        .map_err(|error| cannot_start(command.get_program(), error))?;
    let forwarding = forwarder.forward_to(&child);
    let watch = ThreadWatch::of(child.id());
    let status = child.wait().map_err(|error| Failure::new(SETUP, error))?;
    let elapsed = started.elapsed();
    let seen = watch.seen();
    forwarding.stop();
    Ok(Ended {
        exit: exit(status),
        started_at,
        elapsed,
        seen,
    })
}

/// Quadruples the stack of the program's main thread, by a limit that it inherits. The engine does
/// the same for threads of pools: it keeps an account on the stack for each level of a recursion.
pub(super) fn enlarge_stack() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Stack);
    let wanted = current.map(|size| size.saturating_mul(4));
    let current = match (wanted, maximum) {
        (Some(wanted), Some(maximum)) => Some(wanted.min(maximum)),
        (wanted, _) => wanted,
    };
    // If this fails, only a recursion that nearly fills the stack anyway can overflow it.
    let _ = setrlimit(Resource::Stack, Rlimit { current, maximum });
}

/// The program as it runs without workspan. If another OpenMP runtime stands in for GCC's in the
/// profile, it does here, too; a program of clang's keeps its own libomp, also where the profile
/// has a newer one.
pub(super) fn plain(launch: &Launch) -> Command {
    let words = launch.through.iter().map(OsStr::new);
    let mut command = of_words(words.chain(launch.command.iter().map(AsRef::as_ref)));
    hide_session(&mut command, launch);
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"WORKSPAN_") {
            command.env_remove(name);
        }
    }
    if let Start::With(preload) = &launch.start {
        set(&mut command, &preload.plain);
    }
    command
}

/// Sets the variables that have a value, and removes the others.
fn set(command: &mut Command, variables: &[(OsString, Option<OsString>)]) {
    for (name, value) in variables {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

fn of_words<'a>(mut words: impl Iterator<Item = &'a OsStr>) -> Command {
    let mut command = Command::new(words.next().expect("checked by the caller"));
    command.args(words);
    command
}

/// Lets the program see the user's environment, not that of the session.
fn hide_session(command: &mut Command, launch: &Launch) {
    if std::env::var_os(process::SESSION).is_some() {
        command.env_remove(process::SESSION);
        match &launch.inherited_wrapper {
            Some(wrapper) => command.env("RUSTC_WRAPPER", wrapper),
            None => command.env_remove("RUSTC_WRAPPER"),
        };
    }
}

fn command(launch: &Launch, files: &RawFiles) -> anyhow::Result<Command> {
    let emulated = match &launch.emulation {
        Some(emulation) => Some(emulation.command(&launch.command, preloaded(&launch.start))?),
        None => None,
    };
    let words = launch.through.iter().map(OsStr::new).chain(
        emulated
            .as_ref()
            .unwrap_or(&launch.command)
            .iter()
            .map(AsRef::as_ref),
    );
    let mut command = of_words(words);
    let measure = &launch.measure;
    command
        .env("WORKSPAN_PROFILE", files.profile.path())
        .env("WORKSPAN_ASSUME_CORES", measure.assumed_cores.to_string())
        .env("WORKSPAN_THREADS", measure.threads.to_string())
        .env("WORKSPAN_METRIC", &measure.metric)
        .env("WORKSPAN_BURDEN", &measure.burden)
        .env("WORKSPAN_SAMPLE_HZ", measure.sample_rate.to_string());
    match &measure.clock {
        Some(clock) => command.env("WORKSPAN_CLOCK", clock),
        None => command.env_remove("WORKSPAN_CLOCK"),
    };
    match measure.standstill {
        Some(seconds) => command.env("WORKSPAN_STANDSTILL_END", seconds.to_string()),
        None => command.env_remove("WORKSPAN_STANDSTILL_END"),
    };
    match measure.record_grain.filter(|_| launch.reporting.is_some()) {
        Some(grain) => command
            .env("WORKSPAN_RECORD", files.record.path())
            .env("WORKSPAN_RECORD_BYTES", measure.record_bytes.to_string())
            .env("WORKSPAN_GRAIN_NANOS", grain.to_string()),
        None => command
            .env_remove("WORKSPAN_RECORD")
            .env_remove("WORKSPAN_RECORD_BYTES")
            .env_remove("WORKSPAN_GRAIN_NANOS"),
    };
    if launch.is_quiet {
        command.stdout(Stdio::null());
    }
    if let Start::With(preload) = &launch.start {
        set(&mut command, &preload.variables);
    }
    if launch.emulation.is_some() {
        command.env_remove(Emulation::hidden_variable());
    }
    if measure.exact {
        command.env("WORKSPAN_TIMING", "exact");
    } else {
        command.env_remove("WORKSPAN_TIMING");
    }
    if launch.through.is_empty() && binary::is_documentation_test(Path::new(&launch.command[0])) {
        // Without a runner, rustdoc sets this itself. It makes several examples in one program run
        // in separate processes.
        command.env("RUSTDOC_DOCTEST_BIN_PATH", &launch.command[0]);
    }
    hide_session(&mut command, launch);
    Ok(command)
}

/// The libraries to preload into the program.
fn preloaded(start: &Start) -> Option<&OsStr> {
    let Start::With(preload) = start else {
        return None;
    };
    let hidden = Emulation::hidden_variable();
    let variable = preload.variables.iter().find(|(name, _)| name == hidden)?;
    variable.1.as_deref()
}
