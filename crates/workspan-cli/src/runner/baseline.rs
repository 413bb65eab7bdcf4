//! The additional runs of `--baseline`: without a profile, on one processor and on all, and where
//! that shows that the tasks do more work, with iterators cut for the real threads.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use workspan_model::{Exit, Nanos, PlainPair, Profile, analyse, real_cut};

use super::child;
use super::functions::FunctionsFile;
use super::launch::Launch;
use super::runs::{RunResult, Runs};
use crate::exit_code::{Failure, OrExit as _, SETUP};
use crate::measure::Measure;
use crate::message;
use crate::process::StandardInput;
use crate::process::{Forwarder, Interruption};
use crate::process::{cannot_start, ended, exit, exit_code};

/// Pairs of runs, which six are needed of for an interval of 95 % confidence.
const PAIRS: usize = 6;
/// After this time no pair is begun but the first.
const ENOUGH: Duration = Duration::from_secs(120);
/// The variables by which runtimes choose a number of threads, where the processors do not decide.
const THREADS: [&str; 2] = ["RAYON_NUM_THREADS", "OMP_NUM_THREADS"];
/// What messages call the run with iterators cut for the real threads.
const REAL_CUT: &str = "the run with iterators cut for the real threads";

/// The plain runs before a profile, and what another run needs after it.
pub(super) struct Baseline {
    input: StandardInput,
    pairs: Vec<PlainPair>,
}

impl Baseline {
    /// Makes the plain runs; `None` if none were asked for, or none can be made, with a warning.
    ///
    /// # Errors
    /// If a signal interrupts them, or the program cannot be started.
    pub(super) fn measure(launch: &Launch) -> Result<Option<Self>, Failure> {
        let left_out = |why: &str| {
            message::warning(format_args!("--baseline is left out: {why}"));
            Ok(None)
        };
        if !launch.measure.baseline || launch.reporting.is_none() {
            return Ok(None);
        }
        if launch.measure.metric != "time" {
            return left_out("it compares times");
        }
        if crate::machine::cores() == 1 || launch.measure.threads == 1 {
            return left_out("there is one processor, and nothing to compare it with");
        }
        let input = StandardInput::of_this_process();
        if !input.can_be_repeated() {
            return left_out(
                "standard input is a pipe, which can be read only once; `< FILE` is read by every run",
            );
        }
        let interruption = Interruption::watch().or_exit(SETUP)?;
        let started = Instant::now();
        let mut pairs: Vec<PlainPair> = Vec::new();
        while pairs.len() < PAIRS && (pairs.is_empty() || started.elapsed() < ENOUGH) {
            message::note(format_args!(
                "without a profile, on all processors and on one: {} of {PAIRS} …",
                pairs.len() + 1
            ));
            let run = |processors, limit| {
                let ran = plain(launch, processors, limit);
                // The next run reads it from the same position, the profiled one too.
                input.rewind().or_exit(SETUP)?;
                match interruption.signal() {
                    Some(signal) => Err(Failure::reported(exit_code(Exit::Signal(signal)))),
                    None => ran,
                }
            };
            let all = run(Processors::All, None)?;
            // A program that counts on several threads may wait forever on one processor.
            let limit = all.elapsed * 2 * crate::machine::cores() + Duration::from_secs(10);
            let one = match all.exit {
                Some(Exit::Code(0)) => run(Processors::One, Some(limit))?,
                _ => all,
            };
            match one.exit {
                Some(Exit::Code(0)) => pairs.push(PlainPair {
                    one: nanos(one.elapsed),
                    all: nanos(all.elapsed),
                }),
                Some(failed) => {
                    return left_out(&format!("a run without a profile {}", ended(failed)));
                }
                None => {
                    return left_out(&format!(
                        "on one processor it did not end within {limit:.0?}"
                    ));
                }
            }
        }
        Ok(Some(Self { input, pairs }))
    }

    /// Adds the plain runs to `profile`. If its tasks do more work than one thread, and its
    /// iterators were cut for more cores, it runs once more without that, and adds how the work
    /// differs.
    pub(super) fn add_to(
        self,
        profile: &mut Profile,
        launch: &Launch,
        functions: Option<&FunctionsFile>,
    ) {
        profile.run.plain = self.pairs;
        let has_more_work = analyse(profile)
            .plain
            .is_some_and(|plain| plain.has_more_work());
        let is_cut = profile.run.assumed_cores > profile.run.threads;
        let Some(reporting) = launch
            .reporting
            .as_ref()
            .filter(|_| has_more_work && is_cut)
        else {
            return;
        };
        message::note("once more, with iterators cut for the real threads …");
        let real = Launch {
            measure: Measure {
                assumed_cores: 0,
                ..launch.measure.clone()
            },
            ..launch.clone()
        };
        let run = || {
            self.input.rewind().or_exit(SETUP)?;
            Runs::after(launch.runs)?.run(&real, reporting, functions, REAL_CUT)
        };
        let failed = match run() {
            Ok(RunResult::Profiled(collected, _)) => {
                profile.run.real_cut = Some(real_cut(profile, &collected.profile));
                return;
            }
            Ok(RunResult::Failed(exit, _)) => format!("{REAL_CUT} {}", ended(exit)),
            Err(Failure { error, .. }) => error.map_or_else(
                || format!("{REAL_CUT} failed"),
                |error| format!("{error:#}"),
            ),
        };
        message::warning(format_args!(
            "{failed}: what the assumed cores do to the work is not known"
        ));
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Processors {
    One,
    All,
}

/// A run without a profile.
#[derive(Clone, Copy)]
struct Plain {
    /// How it ended; `None` if it was ended at its limit.
    exit: Option<Exit>,
    elapsed: Duration,
}

fn plain(
    launch: &Launch,
    processors: Processors,
    limit: Option<Duration>,
) -> Result<Plain, Failure> {
    let mut command = child::plain(launch);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    if processors == Processors::One {
        command.envs(THREADS.map(|name| (name, "1")));
    } else if launch.measure.threads > 0 {
        command.envs(THREADS.map(|name| (name, launch.measure.threads.to_string())));
    }
    let forwarder = Forwarder::install().or_exit(SETUP)?;
    let started = Instant::now();
    let mut child = spawn_on(processors, &mut command)
        .map_err(|error| cannot_start(command.get_program(), error))?;
    let forwarding = forwarder.forward_to(&child);
    let waited = wait_until_ended(&child, limit);
    let elapsed = started.elapsed();
    let has_ended = *waited.as_ref().unwrap_or(&false);
    if !has_ended {
        child.kill().or_exit(SETUP)?;
    }
    let status = child.wait().or_exit(SETUP)?;
    forwarding.stop();
    waited
        .context("cannot wait for a run without a profile")
        .or_exit(SETUP)?;
    Ok(Plain {
        exit: has_ended.then(|| exit(status)),
        elapsed,
    })
}

/// A child inherits the processors of the thread that starts it.
fn spawn_on(processors: Processors, command: &mut Command) -> io::Result<std::process::Child> {
    if processors == Processors::All {
        return command.spawn();
    }
    let own = sched_getaffinity(None)?;
    let mut one = CpuSet::new();
    one.set(
        (0..CpuSet::MAX_CPU)
            .find(|&number| own.is_set(number))
            .unwrap_or(0),
    );
    sched_setaffinity(None, &one)?;
    let spawned = command.spawn();
    sched_setaffinity(None, &own)?;
    spawned
}

/// Whether the process ends before the limit. It is not reaped.
fn wait_until_ended(child: &std::process::Child, limit: Option<Duration>) -> io::Result<bool> {
    let process = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    let deadline = limit.map(|limit| Instant::now() + limit);
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let left = left.map(|left| Timespec::try_from(left).expect("less than an age"));
        match poll(&mut [PollFd::new(&process, PollFlags::IN)], left.as_ref()) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(0) => return Ok(false),
            Ok(_) => return Ok(true),
        }
    }
}

fn nanos(time: Duration) -> Nanos {
    Nanos::from_nanos(i64::try_from(time.as_nanos()).unwrap_or(i64::MAX))
}
