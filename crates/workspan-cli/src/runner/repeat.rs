//! Several runs of one program.

use anyhow::anyhow;
use workspan_model::{Exit, Profile, repeated};

use super::baseline::Baseline;
use super::collect::{self, Collected};
use super::files::TemporaryFile;
use super::functions::FunctionsFile;
use super::launch::{Launch, Reporting};
use super::once::Outcome;
use super::report::{keep_record, report};
use super::runs::{RunResult, Runs};
use crate::exit_code::{Failure, PROFILE};
use crate::message;
use crate::process::{ended, exit_code};

/// Runs the program as many times as requested and reports on all runs together. After a run that
/// fails there are no more runs and no report, and the outcome has its exit code.
pub(super) fn launch(
    launch: &Launch,
    reporting: &Reporting,
    functions: Option<&FunctionsFile>,
) -> Result<Outcome, Failure> {
    let baseline = Baseline::measure(launch)?;
    let mut runs = Runs::begin()?;
    let mut profiles: Vec<Profile> = Vec::new();
    // Only that of the shown run will be read.
    let mut records: Vec<TemporaryFile> = Vec::new();
    let mut remark = None;
    for run in 1..=launch.runs {
        let name = format!("run {run} of {}", launch.runs);
        message::note(format_args!("{name} …"));
        match runs.run(launch, reporting, functions, &name)? {
            RunResult::Profiled(collected, files) => {
                profiles.push(collected.profile);
                records.push(files.record);
                remark = collected.remark;
            }
            RunResult::Failed(exit, files) => {
                message::error(&stopped(&name, exit));
                if let Some(files) = &files {
                    keep_record(launch, reporting, files);
                }
                return Ok(Outcome::without_profile(exit_code(exit)));
            }
        }
    }
    let mut profile = repeated(profiles).expect("it ran at least twice");
    if let Some(baseline) = baseline {
        baseline.add_to(&mut profile, launch, functions);
    }
    let shown = profile
        .repetition
        .as_ref()
        .map(|repetition| repetition.shown);
    let dag = shown.and_then(|shown| collect::dag(&records[shown], &profile));
    let collected = Collected { profile, remark };
    let reported = report(launch, reporting, &collected, dag.as_ref());
    Ok(Outcome {
        code: if reported { 0 } else { PROFILE },
        profile: Some(collected.profile),
    })
}

fn stopped(name: &str, exit: Exit) -> anyhow::Error {
    let end = ended(exit);
    anyhow!("{name} {end}: no more runs, and no report (without --runs there is one)")
}
