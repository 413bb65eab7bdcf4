//! The one profiled run that `workspan scale -- PROGRAM` makes for the bounds and the prediction.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::anyhow;
use workspan_model::{Exit, RuntimeKind};

use super::cores::Cores;
use crate::exit_code::{Failure, OrExit as _, SETUP};
use crate::machine;
use crate::message;
use crate::native;
use crate::runner::{self, Forwarder, Interruption};
use crate::sweep::{self, ProfileBefore};

/// A program, and how it is told its number of threads.
#[derive(Debug)]
pub(super) struct ProfiledRun<'a> {
    /// The program and its arguments.
    pub(super) program: &'a [OsString],
    /// The numbers that are measured.
    pub(super) threads: Cores,
    /// The user's choice of a variable.
    pub(super) variable: Option<&'a str>,
    /// The user's choice of an OpenMP runtime.
    pub(super) libomp: Option<&'a Path>,
}

impl ProfiledRun<'_> {
    /// Profiles the program. `None` if it cannot be profiled; the reason has been said.
    ///
    /// # Errors
    /// When a signal came to end it, or it could not be started.
    pub(super) fn make(&self) -> Result<Option<ProfileBefore>, Failure> {
        let program = Path::new(&self.program[0]);
        if !runner::locate(program).is_file() {
            // The first run that is measured says so.
            return Ok(None);
        }
        match native::can_be_profiled(program, self.libomp) {
            Ok(true) => {}
            Ok(false) => {
                tell_of_no_profile(format_args!(
                    "`{}` uses no parallel runtime that workspan knows. `cargo workspan scale` profiles a rayon program in its \
                     project, and `--profiled FILE.wsp` takes a profile that was made before",
                    program.display()
                ));
                return Ok(None);
            }
            Err(error) => {
                tell_of_no_profile(format_args!("{error:#}"));
                return Ok(None);
            }
        }
        message::note(ANNOUNCEMENT);
        let interruption = Interruption::watch().or_exit(SETUP)?;
        // From here on a signal leaves no folder behind.
        let folder = tempfile::Builder::new()
            .prefix("workspan-")
            .tempdir()
            .or_exit(SETUP)?;
        let file = folder.path().join("scale.wsp");
        let forwarder = Forwarder::install().or_exit(SETUP)?;
        let mut child = self
            .command(&file)
            .and_then(|mut command| Ok(command.spawn()?))
            .or_exit(SETUP)?;
        let forwarding = forwarder.forward_to(&child);
        let ended = child.wait();
        forwarding.stop();
        let status = ended.or_exit(SETUP)?;
        if let Some(signal) = interruption.signal() {
            return Err(Failure::new(
                runner::exit_code(Exit::Signal(signal)),
                anyhow!(
                    "interrupted by signal {signal} in the profiled run, before anything was measured"
                ),
            ));
        }
        // Of a run that failed, what would be told is of a part of the program.
        let file = (status.success() && file.exists()).then_some(file);
        if file.is_none() {
            // The command has said why.
            message::warning(
                "there is no profile of a run that succeeded, so the sweep is without bounds and a prediction",
            );
        }
        Ok(Some(ProfileBefore {
            file,
            folder,
            interruption,
        }))
    }

    /// `workspan run` of the program: in a process of its own, so that what it changes of this one for the program's sake, such as
    /// the size of stacks, is not measured.
    fn command(&self, file: &Path) -> anyhow::Result<Command> {
        let cores = machine::cores();
        let runtime = native::runtime_of(Path::new(&self.program[0]));
        let is_openmp = runtime == Some(RuntimeKind::OpenMp);
        let threads = match is_openmp {
            // A team of one thread shows nothing that could run in parallel.
            true => self.threads.above_one().with_cores(cores),
            false => self.threads.with_cores(cores),
        };
        let filled_in = with_threads(self.program, threads);
        let is_told = self.variable.is_some() || filled_in != self.program;
        let mut command = Command::new(env::current_exe()?);
        command.args(["run", "--no-report", "--output"]).arg(file);
        if is_openmp {
            let option = match (is_told, threads > cores) {
                (false, false) => Some(format!("--threads={threads}")),
                (false, true) => Some(format!("--assume-cores={threads}")),
                // Waiting for a processor is no work.
                (true, true) => Some("--clock=thread".to_owned()),
                (true, false) => None,
            };
            command.args(option);
        }
        if let Some(libomp) = self.libomp {
            command.arg("--libomp").arg(libomp);
        }
        command
            .arg("--")
            .args(filled_in)
            .envs(self.variable.map(|name| (name, threads.to_string())))
            .stdin(sweep::input_of_a_run()?)
            .stdout(Stdio::null());
        Ok(command)
    }
}

/// What is said before such a run.
pub(super) const ANNOUNCEMENT: &str = "one profiled run for the bounds and the prediction …";

/// Says why a sweep is without what a profile tells.
pub(super) fn tell_of_no_profile(reason: impl std::fmt::Display) {
    message::note(format_args!(
        "nothing is profiled, so there are no bounds and no prediction: {reason}"
    ));
}

/// `words` with a number of threads in place of the placeholder.
pub(super) fn with_threads(words: &[OsString], threads: u32) -> Vec<OsString> {
    let words = words.iter();
    words.map(|word| sweep::filled_in(word, threads)).collect()
}
