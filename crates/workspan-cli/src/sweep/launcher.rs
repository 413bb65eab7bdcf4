//! Runs that something else starts, on this machine or another one.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use serde::{Deserialize, Serialize};
use workspan_model::Exit;

use super::commands::filled_in;
use super::process::{Ended, Input, Process, run_together};
use super::timed::Task;
use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP};
use crate::runner::Interruption;

/// Words that start what comes after them, such as `srun -n1 -c {threads}`.
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
    /// Has processes started, all at once, for a number of threads; waits until they have ended, and tells how long they took
    /// by themselves. `folder` is where both sides can write; `timeout` is for the processes, not for the queue.
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
            .map(|(index, process)| {
                Task::new(process, timeout, folder.join(format!("{index}.times")))
            })
            .collect();
        for task in &tasks {
            task.forget().or_exit(PROFILE)?;
        }
        let list = folder.join("tasks.json");
        let text = serde_json::to_vec(&tasks).or_exit(SETUP)?;
        fs::write(&list, text)
            .with_context(|| list.display().to_string())
            .or_exit(PROFILE)?;
        let launched: Vec<Process> = (0..processes.len())
            .map(|index| self.around(&list, index, threads))
            .collect::<anyhow::Result<_>>()
            .or_exit(SETUP)?;
        let mut ended = run_together(&launched, input, None, interruption)?;
        for (task, ended) in tasks.iter().zip(&mut ended) {
            match task
                .times()
                .context("the times of a run")
                .or_exit(PROFILE)?
            {
                Some(times) => {
                    ended.exit = times.exit;
                    ended.timed_out = times.timed_out;
                    ended.elapsed = times.elapsed;
                    ended.user = times.user;
                    ended.system = times.system;
                    ended.processors_there = Some(times.processors);
                }
                None if ended.exit == Exit::Code(0) && interruption.signal().is_none() => {
                    return Err(Failure::new(SETUP, self.left_nothing(folder)));
                }
                // The launcher itself failed, and how it ended says so.
                None => {}
            }
        }
        Ok(ended)
    }

    fn left_nothing(&self, folder: &Path) -> anyhow::Error {
        anyhow!(
            "`{self}` ended well, but the program did not run, or its times did not get to {}: does the launcher start what \
             stands after it, wait for it, and is that folder there, too?",
            folder.display()
        )
    }

    /// The process that starts the one at `index` of a list.
    fn around(&self, list: &Path, index: usize, threads: u32) -> anyhow::Result<Process> {
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
