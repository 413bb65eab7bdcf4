//! The processes of one run, started together and timed individually.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Seek as _, SeekFrom};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use rustix::thread::{CpuSet, sched_setaffinity};
use serde::{Deserialize, Serialize};
use signal_hook::consts::SIGTERM;
use wait4::Wait4 as _;
use workspan_model::{Exit, Nanos};

use crate::exit_code::{Failure, OrExit as _, SETUP};
use crate::process::{Interruption, StandardInput, cannot_start, exit};

/// How long a process may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(2);
/// The prefix of variables that a measured program is not to see.
const OWN_VARIABLES: &str = "WORKSPAN_";

/// A process to run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Process {
    /// The program and its arguments.
    pub(super) words: Vec<OsString>,
    /// Environment variables in addition to those of this process.
    pub(super) variables: Vec<(String, OsString)>,
    /// The processors that it may use; all if empty.
    pub(super) processors: Vec<usize>,
    /// Whether it starts another process through this executable, and has to outlive that.
    pub(super) is_launcher: bool,
}

/// How a process ended, and its times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Times {
    pub(super) exit: Exit,
    /// Whether it exceeded its timeout.
    pub(super) timed_out: bool,
    pub(super) elapsed: Nanos,
    pub(super) user: Nanos,
    pub(super) system: Nanos,
    /// The number of processors that it could use where a launcher or Slurm started it.
    pub(super) processors_there: Option<u32>,
}

/// A process that has ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) times: Times,
    /// Its standard output.
    pub(super) output: File,
    /// Its standard error.
    pub(super) messages: File,
}

/// Standard input of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    Nothing,
    /// The standard input of this process, for a single run.
    Inherited,
    /// The standard input of this process, a file, from this position.
    File(u64),
}

impl Input {
    /// That of this process if every run can read it, or else nothing, and whether that loses
    /// input.
    pub(super) fn of_this_process() -> (Self, bool) {
        match StandardInput::of_this_process() {
            StandardInput::File(_, position) => (Self::File(position), false),
            StandardInput::Pipe => (Self::Nothing, true),
            StandardInput::Socket | StandardInput::Other => (Self::Nothing, false),
        }
    }

    /// Opens it for a run.
    pub(super) fn open(self) -> anyhow::Result<Stdio> {
        match self {
            Self::Nothing => Ok(Stdio::null()),
            Self::Inherited => Ok(Stdio::inherit()),
            Self::File(position) => {
                // Opened again, since all readers of an inherited file share one position.
                let mut file =
                    File::open("/dev/stdin").context("cannot read standard input again")?;
                file.seek(SeekFrom::Start(position))?;
                Ok(file.into())
            }
        }
    }
}

/// Runs processes, all at once, until each has ended. A signal to this process ends them.
///
/// # Errors
/// When one cannot be started or waited for. Returns after the others have ended.
pub(super) fn run_together(
    processes: &[Process],
    input: Input,
    timeout: Option<Duration>,
    interruption: &Interruption,
) -> Result<Vec<Ended>, Failure> {
    let start = Barrier::new(processes.len());
    thread::scope(|scope| {
        let waiting: Vec<_> = processes
            .iter()
            .map(|process| {
                let start = &start;
                scope.spawn(move || run(process, input, timeout, interruption, start))
            })
            .collect();
        let ended = waiting.into_iter().map(|thread| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        ended.collect()
    })
}

/// Runs a process, which inherits the processors of the calling thread.
fn run(
    process: &Process,
    input: Input,
    timeout: Option<Duration>,
    interruption: &Interruption,
    start: &Barrier,
) -> Result<Ended, Failure> {
    let prepared = prepare(process, input).or_exit(SETUP);
    // The other threads wait for this one even if it failed.
    start.wait();
    let Prepared {
        mut command,
        output,
        messages,
    } = prepared?;
    let started = Instant::now();
    let child = command
        .spawn()
        .map_err(|error| cannot_start(command.get_program(), error))?;
    let grace = match process.is_launcher {
        // One for the process that it started.
        true => 2 * GRACE,
        false => GRACE,
    };
    let waited = wait(&child, started, timeout, grace, interruption);
    let elapsed = started.elapsed();
    if waited.is_err() {
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    }
    let used = child.wait4().or_exit(SETUP)?;
    let timed_out = waited
        .context("cannot wait for the program")
        .or_exit(SETUP)?;
    let times = Times {
        // A program that succeeds only after SIGTERM has not done its work.
        exit: match exit(used.status) {
            Exit::Code(0) if timed_out => Exit::Signal(SIGTERM),
            exit => exit,
        },
        timed_out,
        elapsed: nanos(elapsed),
        user: nanos(used.rusage.utime),
        system: nanos(used.rusage.stime),
        processors_there: None,
    };
    Ok(Ended {
        times,
        output,
        messages,
    })
}

struct Prepared {
    command: Command,
    output: File,
    messages: File,
}

fn prepare(process: &Process, input: Input) -> anyhow::Result<Prepared> {
    if !process.processors.is_empty() {
        let mut set = CpuSet::new();
        for &processor in &process.processors {
            set.set(processor);
        }
        sched_setaffinity(None, &set).context(
            "cannot choose the processors of a run; `--pin none` leaves them to the system",
        )?;
    }
    let (program, arguments) = process
        .words
        .split_first()
        .context("there is no program to run")?;
    let output = tempfile::tempfile()?;
    let messages = tempfile::tempfile()?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(input.open()?)
        .stdout(output.try_clone()?)
        .stderr(messages.try_clone()?)
        .process_group(0);
    for (name, _) in std::env::vars_os() {
        if is_own(&name) {
            command.env_remove(name);
        }
    }
    command.envs(process.variables.iter().map(|(name, value)| (name, value)));
    Ok(Prepared {
        command,
        output,
        messages,
    })
}

fn is_own(variable: &OsStr) -> bool {
    variable
        .as_encoded_bytes()
        .starts_with(OWN_VARIABLES.as_bytes())
}

/// Waits until a process has ended. Ends it and its process group at the timeout, or when a signal
/// asks this process to end. Returns whether it timed out. The process has not been reaped.
fn wait(
    child: &Child,
    started: Instant,
    timeout: Option<Duration>,
    grace: Duration,
    interruption: &Interruption,
) -> io::Result<bool> {
    let group = Pid::from_child(child);
    let process = pidfd_open(group, PidfdFlags::empty())?;
    let mut deadline = timeout.map(|timeout| started + timeout);
    let mut timed_out = false;
    let mut next_signal = Signal::TERM;
    let mut was_signalled = false;
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let left =
            left.map(|left| Timespec::try_from(left).expect("no more than the user asked for"));
        let mut events = vec![PollFd::new(&process, PollFlags::IN)];
        if !was_signalled {
            let interrupted = interruption.descriptor();
            events.push(PollFd::from_borrowed_fd(interrupted, PollFlags::IN));
        }
        match poll(&mut events, left.as_ref()) {
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
        let happened: Vec<bool> = events
            .iter()
            .map(|event| !event.revents().is_empty())
            .collect();
        if happened[0] {
            return Ok(timed_out);
        }
        let interrupted = happened.get(1).copied().unwrap_or(false);
        let is_over = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if !interrupted && !is_over {
            continue;
        }
        timed_out |= !interrupted && !was_signalled;
        // The group may have ended meanwhile.
        let _ = kill_process_group(group, next_signal);
        was_signalled = true;
        next_signal = Signal::KILL;
        deadline = Some(Instant::now() + grace);
    }
}

pub(super) fn nanos(time: Duration) -> Nanos {
    Nanos::from_nanos(i64::try_from(time.as_nanos()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn shell(script: &str) -> Process {
        Process {
            words: ["sh", "-c", script].map(OsString::from).to_vec(),
            ..Process::default()
        }
    }

    fn run_one(process: Process, timeout: Option<Duration>) -> Result<Ended, Failure> {
        let interruption = Interruption::watch().unwrap();
        let mut ended = run_together(&[process], Input::Nothing, timeout, &interruption)?;
        Ok(ended.remove(0))
    }

    fn text(mut file: &File) -> String {
        let mut text = String::new();
        file.seek(SeekFrom::Start(0)).unwrap();
        file.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn times_exits_and_outputs_are_recorded() {
        let ended = run_one(shell("echo out; echo err >&2; exit 3"), None).unwrap();
        assert_eq!(ended.times.exit, Exit::Code(3));
        assert_eq!(
            (text(&ended.output), text(&ended.messages)),
            ("out\n".into(), "err\n".into())
        );
        assert!(!ended.times.timed_out && ended.times.elapsed > Nanos::ZERO);
        let ended = run_one(shell("kill -9 $$"), None).unwrap();
        assert_eq!(ended.times.exit, Exit::Signal(9));
    }

    #[test]
    fn processor_time_is_that_of_the_process() {
        let times = |script| run_one(shell(script), None).unwrap().times;
        let busy = times("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done");
        assert!(
            busy.user + busy.system > Nanos::from_nanos(1_000_000),
            "{busy:?}"
        );
        let asleep = times("sleep 0.2");
        // However busy the machine is: while it sleeps, it has no processor.
        assert!(
            asleep.elapsed - (asleep.user + asleep.system) >= Nanos::from_nanos(200_000_000),
            "{asleep:?}"
        );
    }

    #[test]
    fn what_takes_too_long_is_ended_with_what_it_started() {
        let ended = run_one(shell("sleep 600 & wait"), Some(Duration::from_millis(50))).unwrap();
        assert!(ended.times.timed_out);
        assert!(
            ended.times.elapsed < Nanos::from_nanos(600_000_000_000),
            "{ended:?}"
        );
    }

    /// Either end of a pipe waits for the other one.
    #[test]
    fn processes_run_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let pipe = pipe.display();
        let both = [format!("cat '{pipe}'"), format!("echo text > '{pipe}'")];
        let both = both.map(|script| shell(&script));
        let interruption = Interruption::watch().unwrap();
        let timeout = Some(Duration::from_secs(600));
        let ended = run_together(&both, Input::Nothing, timeout, &interruption).unwrap();
        assert_eq!(ended[0].times.exit, Exit::Code(0));
        assert_eq!(text(&ended[0].output), "text\n");
    }

    #[test]
    fn variables_and_processors_are_those_asked_for() {
        let allowed = rustix::thread::sched_getaffinity(None).unwrap();
        let last = (0..CpuSet::MAX_CPU)
            .rfind(|&number| allowed.is_set(number))
            .unwrap();
        let process = Process {
            variables: vec![("SWEEP_TEST".to_owned(), "4".into())],
            processors: vec![last],
            ..shell("echo $SWEEP_TEST; grep Cpus_allowed_list /proc/self/status")
        };
        let ended = run_one(process, None).unwrap();
        let printed = text(&ended.output);
        assert_eq!(printed, format!("4\nCpus_allowed_list:\t{last}\n"));
        // Those of this thread have not changed.
        assert_eq!(rustix::thread::sched_getaffinity(None).unwrap(), allowed);
    }

    #[test]
    fn what_cannot_be_started_is_an_error_and_does_not_keep_others_waiting() {
        let nothing = Process {
            words: vec!["/no/such/program".into()],
            ..Process::default()
        };
        let interruption = Interruption::watch().unwrap();
        let both = [shell("exit 0"), nothing];
        let failure = run_together(&both, Input::Nothing, None, &interruption).unwrap_err();
        assert_eq!(failure.code, crate::exit_code::NOT_FOUND);
    }
}
