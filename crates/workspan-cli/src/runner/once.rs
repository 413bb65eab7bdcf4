//! One run of a program.

use workspan_model::Profile;

use super::baseline::Baseline;
use super::child;
use super::collect;
use super::files::RawFiles;
use super::functions::FunctionsFile;
use super::launch::Launch;
use super::report::{keep_record, report};
use crate::exit_code::{Failure, PROFILE};
use crate::message;
use crate::process::exit_code;

/// The outcome of one or several runs of a program.
pub(super) struct Outcome {
    /// The exit code for this process.
    pub(super) code: u8,
    pub(super) profile: Option<Profile>,
}

impl Outcome {
    pub(super) const fn without_profile(code: u8) -> Self {
        Self {
            code,
            profile: None,
        }
    }
}

/// Runs the program and writes the results.
pub(super) fn launch(
    launch: &Launch,
    functions: Option<&FunctionsFile>,
) -> Result<Outcome, Failure> {
    let baseline = Baseline::measure(launch)?;
    let files = RawFiles::for_run(launch, 1);
    let ended = child::run(launch, &files, functions)?;
    let code = exit_code(ended.exit);
    let Some(reporting) = &launch.reporting else {
        return Ok(Outcome::without_profile(code));
    };
    let failed = if code == 0 { PROFILE } else { code };
    match collect::collect(launch, reporting, &ended, files.profile.path()) {
        Ok(mut collected) => {
            if let Some(baseline) = baseline.filter(|_| code == 0) {
                baseline.add_to(&mut collected.profile, launch, functions);
            }
            let dag = collect::dag(&files.record, &collected.profile);
            let reported = report(launch, reporting, &collected, dag.as_ref());
            Ok(Outcome {
                code: if reported { code } else { failed },
                profile: Some(collected.profile),
            })
        }
        Err(error) => {
            // That the program chose to leave no profile is no failure: its exit code stays.
            let code = if collect::is_programs_choice(launch, &ended, &files) {
                message::warning(format_args!("{error:#}"));
                code
            } else {
                message::error(&error);
                failed
            };
            keep_record(launch, reporting, &files);
            Ok(Outcome::without_profile(code))
        }
    }
}
