//! Several runs of one program.

use anyhow::anyhow;
use workspan_model::{Exit, Profile, repeated};

use super::collect::{self, Collected};
use super::files::Temporary;
use super::functions::FunctionsFile;
use super::runs::{Ended, Runs};
use super::{Launch, Ran, Reporting, exit_code, keep_record, report};
use crate::exit_code::{Failure, PROFILE};
use crate::message;

/// Runs the program as often as is wanted and reports on all runs together. The first run that fails is the last;
/// its exit code is returned, and there is no report.
pub(super) fn launch(
    launch: &Launch,
    reporting: &Reporting,
    functions: Option<&FunctionsFile>,
) -> Result<Ran, Failure> {
    let mut runs = Runs::begin()?;
    let mut profiles: Vec<Profile> = Vec::new();
    // Only one of them will be read.
    let mut records: Vec<Temporary> = Vec::new();
    let mut remark = None;
    for run in 1..=launch.runs {
        let name = format!("run {run} of {}", launch.runs);
        message::note(format_args!("{name} …"));
        match runs.run(launch, reporting, functions, &name)? {
            Ended::Profiled(collected, files) => {
                profiles.push(collected.profile);
                records.push(files.record);
                remark = collected.remark;
            }
            Ended::Otherwise(exit, files) => {
                message::error(&stopped(&name, exit));
                if let Some(files) = &files {
                    keep_record(launch, reporting, files);
                }
                return Ok(Ran::without_profile(exit_code(exit)));
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

fn stopped(name: &str, exit: Exit) -> anyhow::Error {
    let end = ended(exit);
    anyhow!("{name} {end}: no more runs, and no report (without --runs there is one)")
}

/// How a program ended, as the rest of a sentence.
pub(crate) fn ended(exit: Exit) -> String {
    match exit {
        Exit::Code(code) => format!("ended with exit code {code}"),
        Exit::Signal(signal) => format!("was interrupted by signal {signal}"),
    }
}
