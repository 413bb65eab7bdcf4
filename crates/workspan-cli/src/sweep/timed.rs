//! `workspan timed LIST INDEX`: runs a process of a list where a launcher or a batch system has put it, and times it there, so
//! that the time is without that in a queue.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use serde::{Deserialize, Serialize};
use workspan_format::replace_file;
use workspan_model::{Exit, Nanos};

use super::process::{Input, Process, run_together};
use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP, USAGE};
use crate::machine;
use crate::runner::Interruption;

/// A process to time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Task {
    words: Vec<OsString>,
    variables: Vec<(String, OsString)>,
    timeout: Option<Duration>,
    /// Where the times go.
    result: PathBuf,
}

/// How it ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Times {
    pub(super) exit: Exit,
    pub(super) timed_out: bool,
    pub(super) elapsed: Nanos,
    pub(super) user: Nanos,
    pub(super) system: Nanos,
    /// How many processors it could use there.
    pub(super) processors: u32,
}

impl Task {
    pub(super) fn new(process: &Process, timeout: Option<Duration>, result: PathBuf) -> Self {
        Self {
            words: process.words.clone(),
            variables: process.variables.clone(),
            timeout,
            result,
        }
    }

    /// Removes the times that an earlier one left there.
    pub(super) fn forget(&self) -> io::Result<()> {
        match fs::remove_file(&self.result) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// Its times, which it leaves once it has ended; `None` if it has not.
    pub(super) fn times(&self) -> anyhow::Result<Option<Times>> {
        match fs::read(&self.result) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => Ok(Some(serde_json::from_slice(&read?)?)),
        }
    }
}

/// Runs the process at `index` of the list in a file, passes on what it prints, and leaves its times.
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
    let process = Process {
        words: task.words.clone(),
        variables: task.variables.clone(),
        ..Process::default()
    };
    let interruption = Interruption::watch().or_exit(SETUP)?;
    // It is the only one that reads here, be it from a pipe.
    let ended = run_together(&[process], Input::Inherited, task.timeout, &interruption)?.remove(0);
    for (mut printed, stream) in [
        (ended.output, &mut io::stdout() as &mut dyn io::Write),
        (ended.messages, &mut io::stderr()),
    ] {
        // A reader that has left misses nothing that counts.
        let _ = printed
            .seek(SeekFrom::Start(0))
            .and_then(|_| io::copy(&mut printed, stream));
    }
    let times = Times {
        exit: ended.exit,
        timed_out: ended.timed_out,
        elapsed: ended.elapsed,
        user: ended.user,
        system: ended.system,
        processors: machine::cores(),
    };
    let text = serde_json::to_vec(&times).or_exit(PROFILE)?;
    let written = replace_file(&task.result, &text);
    written
        .with_context(|| format!("cannot write {}", task.result.display()))
        .or_exit(PROFILE)
}
