//! `workspan-runner PROGRAM ARGUMENTS`: runs a program with the engine on, and reports.

mod binary;
mod child;
mod collect;
mod files;
mod functions;
mod missing;
mod repeat;
mod signals;
mod sleds;
mod standard_input;

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use workspan_format::{stream, wsp};
use workspan_model::{Dag, Exit, Profile};

use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP, SIGNAL_BASE};
use crate::message;
use crate::outputs::{Outputs, Sink};
use crate::session::{Kind, Measure, Session};
use crate::symbols::Places;
use collect::Collected;
use files::RawFiles;
use functions::FunctionsFile;

/// How to run a program and what to do with its profile.
#[derive(Debug)]
pub(crate) struct Launch {
    /// The program and its arguments.
    pub(crate) command: Vec<OsString>,
    /// The user's own runner.
    pub(crate) through: Vec<String>,
    /// Value of `RUSTC_WRAPPER` for the program.
    pub(crate) inherited_wrapper: Option<String>,
    pub(crate) measure: Measure,
    /// How often to run it.
    pub(crate) runs: u32,
    /// Existing folder for the raw profile.
    pub(crate) raw_folder: PathBuf,
    /// What to do with the profile; nothing if none.
    pub(crate) reporting: Option<Reporting>,
}

/// What to do with a profile.
#[derive(Debug)]
pub(crate) struct Reporting {
    pub(crate) outputs: Outputs,
    /// workspan's folder, where the profile is kept.
    pub(crate) home: Option<PathBuf>,
    pub(crate) places: Places,
    pub(crate) expected: Expected,
}

/// What is known of the program beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// It is said to have the engine in it.
    Instrumented,
    /// It was built with the engine at hand, and has it if it uses rayon.
    EngineIfRayon,
    /// The same, among other programs of one command: without rayon it is of no interest.
    OneOfMany,
}

/// Runs the program that cargo built.
pub(crate) fn main(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let session = Session::from_environment().or_exit(SETUP)?;
    let (through, command) = user_runner(&session, arguments);
    let program = command
        .first()
        .map(Path::new)
        .ok_or_else(|| anyhow!("workspan-runner was started without a program to run"))
        .or_exit(SETUP)?;
    let raw_folder = session.raw_profiles();
    let reporting = if binary::is_documentation_test(program) {
        None
    } else {
        Some(Reporting {
            outputs: outputs_for(program, &session).or_exit(SETUP)?,
            home: Some(session.home.clone()),
            places: session.places.clone(),
            expected: match session.kind {
                Kind::Run => Expected::EngineIfRayon,
                Kind::Test | Kind::Bench => Expected::OneOfMany,
            },
        })
    };
    launch(&Launch {
        command: command.to_owned(),
        through,
        inherited_wrapper: session.inherited_wrapper,
        measure: session.measure,
        runs: session.runs,
        raw_folder,
        reporting,
    })
}

/// The user's runner for the target that the program was built for, and the program's command.
fn user_runner<'a>(session: &Session, arguments: &'a [OsString]) -> (Vec<String>, &'a [OsString]) {
    let triple = arguments
        .first()
        .and_then(|first| first.to_str()?.strip_prefix("--target="));
    match triple {
        Some(triple) => {
            let runner = session.runners.get(triple).cloned().unwrap_or_default();
            (runner, &arguments[1..])
        }
        None => (Vec::new(), arguments),
    }
}

/// The outputs, under names of their own for all programs of a command but the first.
fn outputs_for(program: &Path, session: &Session) -> anyhow::Result<Outputs> {
    let outputs = &session.outputs;
    if session.kind == Kind::Run || outputs.files().next().is_none() {
        return Ok(outputs.clone());
    }
    let first = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(session.raw_profiles().join("first"));
    match first {
        Ok(_) => Ok(outputs.clone()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let outputs = outputs.for_program(&binary::name(program));
            for file in outputs.files() {
                message::note(format_args!(
                    "another program of this command: its results go to {}",
                    file.display()
                ));
            }
            Ok(outputs)
        }
        Err(error) => Err(error).context(session.raw_profiles().display().to_string()),
    }
}

/// Runs the program as often as is wanted, waits for it, and does with its profile what is wanted. Returns the
/// program's exit code.
pub(crate) fn launch(launch: &Launch) -> Result<ExitCode, Failure> {
    child::enlarge_stack();
    let functions = match &launch.reporting {
        Some(_) => FunctionsFile::for_program(launch).or_exit(SETUP)?,
        None => None,
    };
    let functions = functions.as_ref();
    match &launch.reporting {
        Some(reporting) if launch.runs > 1 => repeat::launch(launch, reporting, functions),
        _ => launch_once(launch, functions),
    }
}

fn launch_once(launch: &Launch, functions: Option<&FunctionsFile>) -> Result<ExitCode, Failure> {
    let files = RawFiles::of(launch, 1);
    let ended = child::run(launch, &files, functions)?;
    let mut code = exit_code(ended.exit);
    let Some(reporting) = &launch.reporting else {
        return Ok(ExitCode::from(code));
    };
    let reported = match collect::collect(launch, reporting, &ended, files.profile.path()) {
        Ok(collected) => {
            let dag = collect::dag(&files.record, &collected.profile);
            report(launch, reporting, &collected, dag.as_ref())
        }
        Err(error) => {
            message::error(&error);
            keep_record(launch, reporting, &files);
            false
        }
    };
    if !reported && code == 0 {
        code = PROFILE;
    }
    Ok(ExitCode::from(code))
}

fn exit_code(exit: Exit) -> u8 {
    let code = match exit {
        Exit::Code(code) => code,
        Exit::Signal(signal) => SIGNAL_BASE + signal,
    };
    u8::try_from(code & 0xff).expect("masked to eight bits")
}

/// Writes the results. False if one that the user asked for could not be written.
fn report(
    launch: &Launch,
    reporting: &Reporting,
    collected: &Collected,
    dag: Option<&Dag>,
) -> bool {
    let mut outputs = reporting.outputs.clone();
    if let Some(remark) = &collected.remark {
        message::note(remark);
        if reporting.expected == Expected::OneOfMany {
            outputs.report = None;
        }
    }
    let failures = outputs.write(&collected.profile, dag);
    for failure in &failures {
        message::error(failure);
    }
    if let Some(home) = &reporting.home {
        keep(launch, home, &reporting.places, &collected.profile, dag);
    }
    failures.is_empty()
}

/// Keeps the profile in workspan's folder.
fn keep(launch: &Launch, home: &Path, places: &Places, profile: &Profile, dag: Option<&Dag>) {
    let name = binary::name(Path::new(&launch.command[0]));
    let file = home.join(format!("{name}.wsp"));
    match wsp::write(&file, profile, dag) {
        Ok(()) => message::note(format_args!(
            "profile kept in {}",
            places.shorten(&file.to_string_lossy())
        )),
        Err(error) => message::warning(format_args!("the profile is not kept: {error}")),
    }
}

/// Keeps what the program recorded before it was killed, beside where its profile would be.
fn keep_record(launch: &Launch, reporting: &Reporting, files: &RawFiles) {
    if files.profile.exists() || !files.record.exists() {
        return;
    }
    let strands = stream::count_strands(files.record.path()).unwrap_or(0);
    if strands == 0 {
        message::note("the program had not written down any of its task dag yet");
        return;
    }
    let file = match (&reporting.outputs.profile, &reporting.home) {
        (Some(Sink::File(path)), _) => path.with_extension("dag"),
        (_, Some(home)) => {
            let name = binary::name(Path::new(&launch.command[0]));
            home.join(format!("{name}.dag"))
        }
        (_, None) => return,
    };
    let shown = file.to_string_lossy();
    let shown = reporting.places.shorten(&shown);
    match files.record.keep_as(&file) {
        Ok(()) => message::note(format_args!(
            "the task dag up to there, of {strands} strands and folded subtrees, is kept: `workspan dag {shown}` reads it"
        )),
        Err(error) => {
            message::warning(format_args!("the task dag is not kept in {shown}: {error}"))
        }
    }
}
