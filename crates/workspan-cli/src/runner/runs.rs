//! Profiled runs of one program, one after the other.

use anyhow::Error;
use workspan_model::{Dag, Exit, Profile};

use super::collect::{self, Collected};
use super::files::RawFiles;
use super::functions::FunctionsFile;
use super::signals::Interruption;
use super::standard_input::StandardInput;
use super::{Launch, Reporting, child};
use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP};
use crate::message;

/// Runs of one program that are not over.
pub(crate) struct Runs {
    interruption: Interruption,
    input: StandardInput,
    /// How many there were.
    count: u32,
}

/// How a run ended.
pub(super) enum Ended {
    /// Well, with a profile; its record is among the files.
    Profiled(Box<Collected>, RawFiles),
    /// Otherwise; without files if it never began.
    Otherwise(Exit, Option<RawFiles>),
}

/// What a run has told of itself.
pub(crate) struct Told {
    pub(crate) profile: Profile,
    /// Its task dag, where it was recorded.
    pub(crate) dag: Option<Dag>,
}

impl Runs {
    /// From now on, signals end the runs.
    pub(crate) fn begin() -> Result<Self, Failure> {
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
            count: 0,
        })
    }

    /// Runs the program once more. `name` is what messages call the run.
    pub(super) fn run(
        &mut self,
        launch: &Launch,
        reporting: &Reporting,
        functions: Option<&FunctionsFile>,
        name: &str,
    ) -> Result<Ended, Failure> {
        if let Some(signal) = self.interruption.signal() {
            return Ok(Ended::Otherwise(Exit::Signal(signal), None));
        }
        self.input.rewind().or_exit(SETUP)?;
        self.count += 1;
        let files = RawFiles::of(launch, self.count);
        let ended = child::run(launch, &files, functions)?;
        let exit = match (ended.exit, self.interruption.signal()) {
            // The program went on, or the signal came while no program ran.
            (Exit::Code(0), Some(signal)) => Exit::Signal(signal),
            (exit, _) => exit,
        };
        if exit != Exit::Code(0) {
            return Ok(Ended::Otherwise(exit, Some(files)));
        }
        let collected = collect::collect(launch, reporting, &ended, files.profile.path());
        let collected = collected.map_err(|error: Error| error.context(name.to_owned()));
        Ok(Ended::Profiled(
            Box::new(collected.or_exit(PROFILE)?),
            files,
        ))
    }

    /// Runs the program once more, as `launch` says but for what is reported, and gives what it told; how it ended, if it failed.
    pub(crate) fn told(
        &mut self,
        launch: &Launch,
        name: &str,
    ) -> Result<Result<Told, Exit>, Failure> {
        let Some(reporting) = &launch.reporting else {
            unreachable!("whoever wants to know of a run says how its places are shown");
        };
        match self.run(launch, reporting, None, name)? {
            Ended::Otherwise(exit, _) => Ok(Err(exit)),
            Ended::Profiled(collected, files) => {
                let dag = collect::dag(&files.record, &collected.profile);
                let profile = collected.profile;
                Ok(Ok(Told { profile, dag }))
            }
        }
    }
}
