//! Runs that a launcher starts, on this machine or another one.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use serde::{Deserialize, Serialize};
use workspan_model::Exit;

use super::placeholder::filled_in;
use super::process::{Ended, Input, Process, run_together};
use super::timed::{Task, write_list};
use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP};
use crate::process::Interruption;

/// The words of a command that starts the command after it, such as `srun -n1 -c {threads}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Launcher(Vec<String>);

impl FromStr for Launcher {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match shlex::split(text) {
            Some(words) if !words.is_empty() => Ok(Self(words)),
            Some(_) => Err("a command such as `srun -n1 -c {threads}` is expected".to_owned()),
            None => Err("a quotation mark is not closed".to_owned()),
        }
    }
}

impl fmt::Display for Launcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join(" "))
    }
}

impl Launcher {
    /// Launches processes of `threads` threads, all at once, waits until they have ended, and
    /// returns their own times. This process and the launched ones can both write to `folder`.
    /// `timeout` limits the processes, not their time in a queue.
    pub(super) fn run_together(
        &self,
        processes: &[Process],
        threads: u32,
        folder: &Path,
        input: Input,
        timeout: Option<Duration>,
        interruption: &Interruption,
    ) -> Result<Vec<Ended>, Failure> {
        let tasks: Vec<Task> = processes
            .iter()
            .enumerate()
            .map(|(index, process)| Task {
                process: process.clone(),
                timeout,
                result: folder.join(format!("{index}.times")),
            })
            .collect();
        for task in &tasks {
            task.remove_old_times().or_exit(PROFILE)?;
        }
        let list = write_list(&tasks, folder)?;
        let launched: Vec<Process> = (0..processes.len())
            .map(|index| self.launching(&list, index, threads))
            .collect::<anyhow::Result<_>>()
            .or_exit(SETUP)?;
        let mut ended = run_together(&launched, input, None, interruption)?;
        for (task, ended) in tasks.iter().zip(&mut ended) {
            match task
                .times()
                .context("the times of a run")
                .or_exit(PROFILE)?
            {
                Some(times) => ended.times = times,
                None if ended.times.exit == Exit::Code(0) && interruption.signal().is_none() => {
                    return Err(Failure::new(SETUP, self.no_times(folder)));
                }
                // The launcher failed or was interrupted. `ended` is how.
                None => {}
            }
        }
        Ok(ended)
    }

    fn no_times(&self, folder: &Path) -> anyhow::Error {
        anyhow!(
            "`{self}` ended well, but the program did not run, or its times did not get to {}: does the launcher start what \
             stands after it, wait for it, and is that folder there, too?",
            folder.display()
        )
    }

    /// The launcher's process for the one at `index` of a list.
    fn launching(&self, list: &Path, index: usize, threads: u32) -> anyhow::Result<Process> {
        let own = std::env::current_exe()?;
        let words = self.0.iter().map(|word| filled_in(word.as_ref(), threads));
        let timed = [
            own.into_os_string(),
            "timed".into(),
            list.into(),
            index.to_string().into(),
        ];
        let words: Vec<OsString> = words.chain(timed).collect();
        Ok(Process {
            words,
            is_launcher: true,
            ..Process::default()
        })
    }
}
