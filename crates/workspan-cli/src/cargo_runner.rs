//! `workspan-runner PROGRAM ARGUMENTS`, which cargo starts in place of the program: runs it as the
//! session says, and reports on it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};

use crate::exit_code::{Failure, OrExit as _, SETUP};
use crate::inflate::{self, Executions};
use crate::measure::Measure;
use crate::message;
use crate::native::{self, Start};
use crate::outputs::Outputs;
use crate::process::binary;
use crate::runner::{self, Expected, Launch, Reporting};
use crate::session::{Kind, Session};
use crate::sweep;

/// Runs the program that cargo built.
pub(crate) fn main(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let session = Session::from_environment().or_exit(SETUP)?;
    session.outputs.screen.apply();
    session.outputs.screen.apply();
    let (through, command) = user_runner(&session.runners, arguments);
    if let Some(settings) = &session.sweep {
        settings.results.screen.apply();
        return sweep::measure(settings, through, command.to_owned(), None);
    }
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
            home: Some(session.kept()),
            metric: None,
            places: session.places.clone(),
            // A table of all metrics follows the report on the first.
            is_left: session.kind != Kind::Run && session.measures.len() == 1,
            expected: match session.kind {
                Kind::Run => Expected::EngineIfRayon,
                Kind::Test | Kind::Bench => Expected::OneOfMany,
            },
        })
    };
    // The engine would run beside a test harness, or in the user's own runner.
    let start = if session.kind == Kind::Run && through.is_empty() {
        native::prepare_threads(program)
    } else {
        Start::AsItIs
    };
    let mut measures = session.measures;
    if matches!(start, Start::With(_)) {
        // Nothing asks for them.
        measures
            .iter_mut()
            .for_each(|measure| measure.assumed_cores = 0);
    }
    let launch_for = |measure: Measure| -> Result<Launch, Failure> {
        Ok(Launch {
            command: command.to_owned(),
            emulation: measure.emulation().or_exit(SETUP)?,
            through: through.clone(),
            inherited_wrapper: session.inherited_wrapper.clone(),
            start: start.clone(),
            measure,
            runs: session.runs,
            raw_folder: raw_folder.clone(),
            is_quiet: session.inflate.is_some(),
            reporting: reporting.clone(),
        })
    };
    if let Some(settings) = &session.inflate {
        settings.results.screen.apply();
        let executions = Executions::for_measures(settings, &measures, launch_for)?;
        return inflate::measure(settings, &executions);
    }
    let (first, others) = measures.split_first().expect("a session has a metric");
    runner::launch(launch_for(first.clone())?, others)
}

/// The user's runner for the target that the program was built for, and the program with its
/// arguments.
fn user_runner<'a>(
    runners: &BTreeMap<String, Vec<String>>,
    arguments: &'a [OsString],
) -> (Vec<String>, &'a [OsString]) {
    let triple = arguments
        .first()
        .and_then(|first| first.to_str()?.strip_prefix("--target="));
    match triple {
        Some(triple) => {
            let runner = runners.get(triple).cloned().unwrap_or_default();
            (runner, &arguments[1..])
        }
        None => (Vec::new(), arguments),
    }
}

/// The outputs. All programs of a command but the first get separate file names.
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
