//! `workspan timed LIST INDEX`: runs and times a process of a list where a launcher or a batch
//! system has put it, so that the time excludes waiting in a queue.

use std::fs;
use std::io::{self, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use serde::{Deserialize, Serialize};
use workspan_format::replace_file;

use super::process::{Input, Process, Times, run_together};
use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP, USAGE};
use crate::machine;
use crate::process::Interruption;

/// A process to time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) process: Process,
    pub(super) timeout: Option<Duration>,
    /// The file for the times.
    pub(super) result: PathBuf,
}

impl Task {
    /// Removes the times of an earlier task from `result`.
    pub(super) fn remove_old_times(&self) -> io::Result<()> {
        match fs::remove_file(&self.result) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// The times, which the task writes when it ends; `None` if it has written none.
    pub(super) fn times(&self) -> anyhow::Result<Option<Times>> {
        match fs::read(&self.result) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => Ok(Some(serde_json::from_slice(&read?)?)),
        }
    }
}

/// Writes a list of tasks to a file in `folder`, and returns the file.
pub(super) fn write_list(tasks: &[Task], folder: &Path) -> Result<PathBuf, Failure> {
    let list = folder.join("tasks.json");
    let text = serde_json::to_vec(tasks).or_exit(SETUP)?;
    fs::write(&list, text)
        .with_context(|| list.display().to_string())
        .or_exit(PROFILE)?;
    Ok(list)
}

/// Runs the process at `index` of the list in a file, forwards its output and writes its times.
pub(crate) fn run(list: &Path, index: usize) -> Result<(), Failure> {
    let text = fs::read(list)
        .with_context(|| list.display().to_string())
        .or_exit(PROFILE)?;
    let tasks: Vec<Task> = serde_json::from_slice(&text).or_exit(PROFILE)?;
    let task = tasks
        .get(index)
        .ok_or_else(|| {
            anyhow!(
                "{} has {} tasks, and none at {index}",
                list.display(),
                tasks.len()
            )
        })
        .or_exit(USAGE)?;
    let process = std::slice::from_ref(&task.process);
    let interruption = Interruption::watch().or_exit(SETUP)?;
    // No other process reads this standard input, so it may even be a pipe.
    let ended = run_together(process, Input::Inherited, task.timeout, &interruption)?.remove(0);
    for (mut printed, stream) in [
        (ended.output, &mut io::stdout() as &mut dyn io::Write),
        (ended.messages, &mut io::stderr()),
    ] {
        // If nobody reads the output any more, the times are still valid.
        let _ = printed
            .seek(SeekFrom::Start(0))
            .and_then(|_| io::copy(&mut printed, stream));
    }
    let times = Times {
        processors_there: Some(machine::cores()),
        ..ended.times
    };
    let text = serde_json::to_vec(&times).or_exit(PROFILE)?;
    replace_file(&task.result, &text)
        .with_context(|| format!("cannot write {}", task.result.display()))
        .or_exit(PROFILE)
}
