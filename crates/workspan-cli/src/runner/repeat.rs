//! Several runs of one program.

use anyhow::anyhow;
use workspan_model::{Exit, Profile, repeated};

use super::collect::{self, Collected};
use super::files::{RawFiles, Temporary};
use super::functions::FunctionsFile;
use super::signals::Interruption;
use super::standard_input::StandardInput;
use super::{Launch, Ran, Reporting, child, exit_code, keep_record, report};
use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP};
use crate::message;

/// Runs the program as often as is wanted and reports on all runs together. The first run that fails is the last;
/// its exit code is returned, and there is no report.
pub(super) fn launch(
    launch: &Launch,
    reporting: &Reporting,
    functions: Option<&FunctionsFile>,
) -> Result<Ran, Failure> {
    let interruption = Interruption::watch().or_exit(SETUP)?;
    let input = StandardInput::of_this_process();
    if !input.can_be_repeated() {
        message::warning(
            "standard input is a pipe: the first run reads it, the others find it at its end; \
             `< FILE` is read by every run",
        );
    }
    let mut profiles: Vec<Profile> = Vec::new();
    // Only one of them will be read.
    let mut records: Vec<Temporary> = Vec::new();
    let mut remark = None;
    for run in 1..=launch.runs {
        if let Some(signal) = interruption.signal() {
            let exit = Exit::Signal(signal);
            message::error(&stopped(run, launch.runs, exit));
            return Ok(Ran::without_profile(exit_code(exit)));
        }
        message::note(format_args!("run {run} of {} …", launch.runs));
        input.rewind().or_exit(SETUP)?;
        let files = RawFiles::of(launch, run);
        let ended = child::run(launch, &files, functions)?;
        let exit = match (ended.exit, interruption.signal()) {
            // The program went on, or the signal came while no program ran.
            (Exit::Code(0), Some(signal)) => Exit::Signal(signal),
            (exit, _) => exit,
        };
        if exit != Exit::Code(0) {
            message::error(&stopped(run, launch.runs, exit));
            keep_record(launch, reporting, &files);
            return Ok(Ran::without_profile(exit_code(exit)));
        }
        match collect::collect(launch, reporting, &ended, files.profile.path()) {
            Ok(collected) => {
                profiles.push(collected.profile);
                records.push(files.record);
                remark = collected.remark;
            }
            Err(error) => {
                message::error(&error.context(format!("run {run} of {}", launch.runs)));
                return Ok(Ran::without_profile(PROFILE));
            }
        }
    }
    let profile = repeated(profiles).expect("it ran at least twice");
    let shown = profile
        .repetition
        .as_ref()
        .map(|repetition| repetition.shown);
    let dag = shown.and_then(|shown| collect::dag(&records[shown], &profile));
    let collected = Collected { profile, remark };
    let reported = report(launch, reporting, &collected, dag.as_ref());
    Ok(Ran {
        code: if reported { 0 } else { PROFILE },
        profile: Some(collected.profile),
    })
}

fn stopped(run: u32, runs: u32, exit: Exit) -> anyhow::Error {
    let end = match exit {
        Exit::Code(code) => format!("ended with exit code {code}"),
        Exit::Signal(signal) => format!("was interrupted by signal {signal}"),
    };
    anyhow!("run {run} of {runs} {end}: no more runs, and no report (without --runs there is one)")
}
