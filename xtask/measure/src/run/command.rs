//! Runs commands, and measures what they use.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use wait4::Wait4 as _;

use crate::checkout::root;

/// Runs a command without input to its end. The error has what it printed.
pub(crate) fn succeed(command: &mut Command) -> anyhow::Result<Output> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {command:?}"))?;
    ensure!(
        output.status.success(),
        "{command:?} ended with {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output)
}

/// What a command line prints, without blanks at its ends. It runs in the checkout.
pub(crate) fn output(line: &str) -> anyhow::Result<String> {
    let (program, arguments) = line
        .split_once(' ')
        .context("a command without arguments")?;
    let mut command = Command::new(program);
    let printed = succeed(command.args(arguments.split(' ')).current_dir(root()?))?;
    Ok(String::from_utf8(printed.stdout)?.trim().to_owned())
}

/// Runs cargo in the checkout.
pub(crate) fn cargo(arguments: &str) -> anyhow::Result<()> {
    output(&format!("cargo {arguments}")).map(drop)
}

/// What a process used from its start to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// Seconds that passed.
    pub(crate) elapsed: f64,
    /// Seconds on processors, in the program, the kernel and the processes that it waited for.
    pub(crate) processor: f64,
    /// Bytes of the largest resident memory.
    pub(crate) peak: f64,
}

impl Usage {
    /// Runs a command to its end, without input. What it prints is thrown away.
    pub(crate) fn from_run(command: &mut Command) -> anyhow::Result<Self> {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let started = Instant::now();
        let child = command
            .spawn()
            .with_context(|| format!("cannot start {command:?}"))?;
        let ended = { child }.wait4()?;
        let elapsed = started.elapsed();
        ensure!(
            ended.status.success(),
            "{command:?} ended with {}",
            ended.status
        );
        let seconds = |time: Duration| time.as_secs_f64();
        Ok(Usage {
            elapsed: seconds(elapsed),
            processor: seconds(ended.rusage.utime + ended.rusage.stime),
            peak: ended.rusage.maxrss as f64,
        })
    }
}
