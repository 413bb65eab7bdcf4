//! The profiled run of `workspan scale -- PROGRAM`, for the bounds and the prediction.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::anyhow;
use workspan_model::{Exit, RuntimeKind};

use super::cores::Cores;
use crate::exit_code::{Failure, OrExit as _, SETUP};
use crate::machine;
use crate::message;
use crate::native;
use crate::process::{self, Forwarder, Interruption};
use crate::sweep::{self, ProfileBefore};

/// A program, and how its number of threads is set.
#[derive(Debug)]
pub(super) struct ProfiledRun<'a> {
    /// The program and its arguments.
    pub(super) program: &'a [OsString],
    /// The numbers of threads that the sweep measures.
    pub(super) threads: Cores,
    /// The environment variable for the number of threads, if the user chose one.
    pub(super) variable: Option<&'a str>,
    /// The OpenMP runtime, if the user chose one.
    pub(super) libomp: Option<&'a Path>,
}

impl ProfiledRun<'_> {
    /// Profiles the program. `None` if it cannot be profiled; a note says why, or the error of the
    /// first measured run.
    ///
    /// # Errors
    /// If a signal interrupted it, or it could not be started.
    pub(super) fn make(&self) -> Result<Option<ProfileBefore>, Failure> {
        let program = Path::new(&self.program[0]);
        if !process::locate(program).is_file() {
            // The first measured run reports the error.
            return Ok(None);
        }
        match native::can_be_profiled(program, self.libomp) {
            Ok(true) => {}
            Ok(false) => {
                note_no_profile(format_args!(
                    "`{}` uses no parallel runtime that workspan knows. `cargo workspan scale` profiles a rayon program in its \
                     project, and `--profiled FILE.wsp` takes a profile that was made before",
                    program.display()
                ));
                return Ok(None);
            }
            Err(error) => {
                note_no_profile(format_args!("{error:#}"));
                return Ok(None);
            }
        }
        message::note(ANNOUNCEMENT);
        let interruption = Interruption::watch().or_exit(SETUP)?;
        // From here on a signal does not end this process and leave the folder behind.
        let folder = process::temporary_folder().or_exit(SETUP)?;
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
                process::exit_code(Exit::Signal(signal)),
                anyhow!(
                    "interrupted by signal {signal} in the profiled run, before anything was measured"
                ),
            ));
        }
        // The profile of a failed run covers only a part of the program.
        let file = (status.success() && file.exists()).then_some(file);
        if file.is_none() {
            // The command has reported why.
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

    /// The command `workspan run` for the program. It is a separate process, because it changes
    /// itself for the program, for example the size of stacks, and that must not affect the
    /// measured runs.
    fn command(&self, file: &Path) -> anyhow::Result<Command> {
        let cores = machine::cores();
        let runtime = native::runtime_of(Path::new(&self.program[0]));
        let is_openmp = runtime == Some(RuntimeKind::OpenMp);
        let threads = if is_openmp {
            // A team of one thread does not show what could run in parallel.
            self.threads.above_one().largest_within(cores)
        } else {
            self.threads.largest_within(cores)
        };
        let words = with_threads(self.program, threads);
        let is_set = self.variable.is_some() || words != self.program;
        let mut command = Command::new(env::current_exe()?);
        command
            .arg0("workspan")
            .args(["run", "--no-report", "--output"])
            .arg(file)
            .args(message::is_quiet().then_some("--quiet"));
        if is_openmp {
            let option = match (is_set, threads > cores) {
                (false, false) => Some(format!("--threads={threads}")),
                (false, true) => Some(format!("--assume-cores={threads}")),
                // This clock does not count waiting for a processor as work.
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
            .args(words)
            .envs(self.variable.map(|name| (name, threads.to_string())))
            .stdin(sweep::input_of_a_run()?)
            .stdout(Stdio::null());
        Ok(command)
    }
}

/// The message before a profiled run.
pub(super) const ANNOUNCEMENT: &str = "one profiled run for the bounds and the prediction …";

/// Prints why a sweep has no profile.
pub(super) fn note_no_profile(reason: impl std::fmt::Display) {
    message::note(format_args!(
        "nothing is profiled, so there are no bounds and no prediction: {reason}"
    ));
}

/// `words` with the placeholder replaced by a number of threads.
pub(super) fn with_threads(words: &[OsString], threads: u32) -> Vec<OsString> {
    words
        .iter()
        .map(|word| sweep::filled_in(word, threads))
        .collect()
}
