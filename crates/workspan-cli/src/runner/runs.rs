//! Profiled runs of one program, one after the other.

use anyhow::Context as _;
use workspan_model::{Dag, Exit, Profile};

use super::child;
use super::collect::{self, Collected};
use super::files::RawFiles;
use super::functions::FunctionsFile;
use super::launch::{Launch, Reporting};
use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP};
use crate::message;
use crate::process::Interruption;
use crate::process::StandardInput;

/// A series of runs of one program.
pub(crate) struct Runs {
    interruption: Interruption,
    input: StandardInput,
    /// Number of runs so far.
    count: u32,
}

/// The result of a run.
pub(super) enum RunResult {
    /// The run succeeded and has a profile. Its record is among the files.
    Profiled(Box<Collected>, RawFiles),
    /// The run failed or was interrupted. Without files if it never began.
    Failed(Exit, Option<RawFiles>),
}

/// The profile of a run.
pub(crate) struct RunProfile {
    pub(crate) profile: Profile,
    /// The task dag, if it was recorded.
    pub(crate) dag: Option<Dag>,
}

impl Runs {
    /// Begins a series. From now on, a signal ends the series and not this process.
    pub(crate) fn begin() -> Result<Self, Failure> {
        Self::after(0)
    }

    /// Begins a series after a number of runs whose files are still there.
    pub(super) fn after(count: u32) -> Result<Self, Failure> {
        let input = StandardInput::of_this_process();
        if !input.can_be_repeated() {
            message::warning(
                "standard input is a pipe: the first run reads it, the others find it at its end; \
                 `< FILE` is read by every run",
            );
        }
        Ok(Self {
            interruption: Interruption::watch().or_exit(SETUP)?,
            input,
            count,
        })
    }

    /// Runs the program once more. Messages call the run `name`.
    pub(super) fn run(
        &mut self,
        launch: &Launch,
        reporting: &Reporting,
        functions: Option<&FunctionsFile>,
        name: &str,
    ) -> Result<RunResult, Failure> {
        if let Some(signal) = self.interruption.signal() {
            return Ok(RunResult::Failed(Exit::Signal(signal), None));
        }
        self.input.rewind().or_exit(SETUP)?;
        self.count += 1;
        let files = RawFiles::for_run(launch, self.count);
        let ended = child::run(launch, &files, functions)?;
        let exit = match (ended.exit, self.interruption.signal()) {
            // The program continued anyway, or the signal came while it was not running.
            (Exit::Code(0), Some(signal)) => Exit::Signal(signal),
            (exit, _) => exit,
        };
        if exit != Exit::Code(0) {
            return Ok(RunResult::Failed(exit, Some(files)));
        }
        let collected = collect::collect(launch, reporting, &ended, files.profile.path())
            .with_context(|| name.to_owned())
            .or_exit(PROFILE)?;
        Ok(RunResult::Profiled(Box::new(collected), files))
    }

    /// Runs the program once more for `launch`, without writing its outputs. Returns the profile,
    /// or how the program ended if it failed.
    pub(crate) fn run_for_profile(
        &mut self,
        launch: &Launch,
        name: &str,
    ) -> Result<Result<RunProfile, Exit>, Failure> {
        let Some(reporting) = &launch.reporting else {
            unreachable!("whoever wants to know of a run says how its places are shown");
        };
        match self.run(launch, reporting, None, name)? {
            RunResult::Failed(exit, _) => Ok(Err(exit)),
            RunResult::Profiled(collected, files) => {
                let dag = collect::dag(&files.record, &collected.profile);
                let profile = collected.profile;
                Ok(Ok(RunProfile { profile, dag }))
            }
        }
    }
}
