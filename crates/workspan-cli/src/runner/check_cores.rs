//! The additional run of `--check-cores`, whose iterators are cut for the real number of threads.

use workspan_model::{Profile, real_cut};

use super::ending::ended;
use super::functions::FunctionsFile;
use super::launch::Launch;
use super::runs::{RunResult, Runs};
use super::standard_input::StandardInput;
use crate::exit_code::{Failure, OrExit as _, SETUP};
use crate::message;
use crate::session::Measure;

/// What messages call the run.
const NAME: &str = "the run of --check-cores";

/// What the additional run needs from before the first one.
pub(super) struct CheckOfCores {
    input: StandardInput,
}

impl CheckOfCores {
    /// Prepares the run; `None` if none was asked for, or none can be made, with a warning.
    pub(super) fn prepare(launch: &Launch) -> Option<Self> {
        let measure = &launch.measure;
        if !measure.check_cores || measure.assumed_cores == 0 {
            return None;
        }
        if measure.metric != "time" {
            message::warning(format_args!(
                "--check-cores compares times: left out for {}",
                measure.metric
            ));
            return None;
        }
        let input = StandardInput::of_this_process();
        if !input.can_be_repeated() {
            message::warning(
                "standard input is a pipe, which can be read only once: --check-cores is left out; \
                 `< FILE` is read by every run",
            );
            return None;
        }
        Some(Self { input })
    }

    /// Runs the program once more, and adds to `profile` how the work differs. Where that run
    /// fails, the profile stays as it is, with a warning.
    pub(super) fn add_to(
        self,
        profile: &mut Profile,
        launch: &Launch,
        functions: Option<&FunctionsFile>,
    ) {
        message::note("once more, with iterators cut for the real threads …");
        let real = Launch {
            measure: Measure {
                assumed_cores: 0,
                ..launch.measure.clone()
            },
            ..launch.clone()
        };
        let Some(reporting) = &launch.reporting else {
            return;
        };
        let run = || {
            self.input.rewind().or_exit(SETUP)?;
            Runs::after(launch.runs)?.run(&real, reporting, functions, NAME)
        };
        let failed = match run() {
            Ok(RunResult::Profiled(collected, _)) => {
                profile.run.real_cut = Some(real_cut(profile, &collected.profile));
                return;
            }
            Ok(RunResult::Failed(exit, _)) => format!("{NAME} {}", ended(exit)),
            Err(Failure { error, .. }) => {
                error.map_or_else(|| format!("{NAME} failed"), |error| format!("{error:#}"))
            }
        };
        message::warning(format_args!(
            "{failed}: what the assumed cores do to the work is not known"
        ));
    }
}
