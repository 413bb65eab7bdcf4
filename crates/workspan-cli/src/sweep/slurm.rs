//! Runs under the batch system Slurm: all runs of a sweep are one job array.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;

use anyhow::{Context as _, anyhow};
use serde::{Deserialize, Serialize};
use workspan_model::Exit;

use super::printed::tail;
use super::process::{Ended, Input, Process, Times, run_together};
use super::timed::{Task, write_list};
use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP};
use crate::message;
use crate::process::Interruption;

/// Slurm, with the user's options for `sbatch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Slurm(Vec<String>);

impl FromStr for Slurm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = shlex::split(text).ok_or("a quotation mark is not closed")?;
        Ok(Self(words))
    }
}

impl fmt::Display for Slurm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("sbatch")?;
        self.0
            .iter()
            .try_for_each(|word| write!(formatter, " {word}"))
    }
}

impl Slurm {
    /// Submits tasks to run one after another, in order, each with `threads` processors, and waits
    /// until they have ended. Tasks that fail are submitted once more. The result of a task that
    /// wrote no times is `None`. This process and the tasks can both write to `folder`.
    pub(super) fn run(
        &self,
        tasks: &[Task],
        threads: u32,
        folder: &Path,
        interruption: &Interruption,
    ) -> Result<Vec<Option<Ended>>, Failure> {
        let list = write_list(tasks, folder)?;
        let script = folder.join("job.sh");
        let text = script_for(&list).or_exit(SETUP)?;
        fs::write(&script, text)
            .with_context(|| script.display().to_string())
            .or_exit(PROFILE)?;
        let last = tasks.len().saturating_sub(1);
        self.submit(&format!("0-{last}"), threads, folder, &script, interruption)?;
        let failed = failed(tasks).or_exit(PROFILE)?;
        if !failed.is_empty() && interruption.signal().is_none() {
            let numbers: Vec<String> = failed.iter().map(usize::to_string).collect();
            let numbers = numbers.join(",");
            message::warning(format_args!(
                "{} of {} tasks failed, and are run once more: {numbers}",
                failed.len(),
                tasks.len()
            ));
            self.submit(&numbers, threads, folder, &script, interruption)?;
        }
        let ended = tasks.iter().enumerate().map(|(index, task)| {
            let times = task.times().context("the times of a run")?;
            times.map(|times| ended(times, index, folder)).transpose()
        });
        ended.collect::<anyhow::Result<_>>().or_exit(PROFILE)
    }

    /// Submits the tasks with these numbers as one array, and waits for it.
    fn submit(
        &self,
        numbers: &str,
        threads: u32,
        folder: &Path,
        script: &Path,
        interruption: &Interruption,
    ) -> Result<(), Failure> {
        let own = [
            "--wait".to_owned(),
            "--parsable".to_owned(),
            "--job-name=workspan".to_owned(),
            "--ntasks=1".to_owned(),
            format!("--cpus-per-task={threads}"),
            // One at a time, so that they do not disturb one another.
            format!("--array={numbers}%1"),
            format!("--output={}", folder.join("%a.output").display()),
            format!("--error={}", folder.join("%a.messages").display()),
        ];
        let words = std::iter::once("sbatch".to_owned())
            .chain(own)
            .chain(self.0.iter().cloned());
        let mut words: Vec<OsString> = words.map(OsString::from).collect();
        words.push(script.into());
        message::note(format_args!("job array {numbers} is with Slurm …"));
        let sbatch = Process {
            words,
            is_launcher: true,
            ..Process::default()
        };
        let submitted = run_together(&[sbatch], Input::Nothing, None, interruption)?.remove(0);
        let job = job_number(&submitted.output).or_exit(SETUP)?;
        match job {
            Some(job) if interruption.signal().is_some() => {
                // Cancelling a job that has ended does no harm.
                let _ = Command::new("scancel")
                    .arg(job)
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status();
                Ok(())
            }
            // The array has ended. sbatch's exit code, the greatest of its tasks', is not needed:
            // each task wrote its own.
            Some(_) => Ok(()),
            None if interruption.signal().is_some() => Ok(()),
            None => {
                let messages = tail(&submitted.messages).unwrap_or_default();
                Err(Failure::new(
                    SETUP,
                    anyhow!("Slurm did not take the job:{messages}"),
                ))
            }
        }
    }
}

/// The number of the job that `sbatch --parsable` printed.
fn job_number(mut output: &File) -> anyhow::Result<Option<String>> {
    let mut text = String::new();
    output.seek(SeekFrom::Start(0))?;
    output.read_to_string(&mut text)?;
    let digits: String = text
        .trim()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    Ok((!digits.is_empty()).then_some(digits))
}

/// The script of a task.
fn script_for(list: &Path) -> anyhow::Result<String> {
    let quoted = |path: &Path| -> anyhow::Result<String> {
        let text = path.to_str().context("a path is not UTF-8")?;
        Ok(shlex::try_quote(text)?.into_owned())
    };
    let own = quoted(&std::env::current_exe()?)?;
    let list = quoted(list)?;
    Ok(format!(
        "#!/bin/sh\nexec {own} timed {list} \"$SLURM_ARRAY_TASK_ID\"\n"
    ))
}

/// The tasks that wrote no times or did not succeed.
fn failed(tasks: &[Task]) -> anyhow::Result<Vec<usize>> {
    let mut failed = Vec::new();
    for (index, task) in tasks.iter().enumerate() {
        let times = task.times().context("the times of a run")?;
        if times.is_none_or(|times| times.exit != Exit::Code(0)) {
            failed.push(index);
        }
    }
    Ok(failed)
}

fn ended(times: Times, index: usize, folder: &Path) -> anyhow::Result<Ended> {
    let open = |extension: &str| -> anyhow::Result<File> {
        let path = folder.join(format!("{index}.{extension}"));
        File::open(&path).with_context(|| path.display().to_string())
    };
    Ok(Ended {
        times,
        output: open("output")?,
        messages: open("messages")?,
    })
}
