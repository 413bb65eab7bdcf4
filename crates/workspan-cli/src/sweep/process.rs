//! Processes of one run: started together, timed one by one.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, IsTerminal as _, Seek as _, SeekFrom};
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileTypeExt as _;
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
use signal_hook::consts::SIGTERM;
use wait4::Wait4 as _;
use workspan_model::{Exit, Nanos};

use crate::exit_code::{Failure, OrExit as _, SETUP};
use crate::runner::{self, Interruption};

/// How long a process that is asked to end may take.
const GRACE: Duration = Duration::from_secs(2);
/// Names of variables that a measured program is not to see begin so.
const OWN_VARIABLES: &str = "WORKSPAN_";

/// A process to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Process {
    /// The program and its arguments.
    pub(super) words: Vec<OsString>,
    /// Variables of its environment, beside those of this process.
    pub(super) variables: Vec<(String, OsString)>,
    /// The processors that it may use; empty: all.
    pub(super) processors: Vec<usize>,
    /// Whether it starts another one through this executable, and is to outlive it.
    pub(super) is_launcher: bool,
}

/// How it ran.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) exit: Exit,
    /// Whether it took longer than it was allowed to.
    pub(super) timed_out: bool,
    pub(super) elapsed: Nanos,
    pub(super) user: Nanos,
    pub(super) system: Nanos,
    /// How many processors it could use where something else had started it.
    pub(super) processors_there: Option<u32>,
    /// What it printed.
    pub(super) output: File,
    /// Its messages.
    pub(super) messages: File,
}

/// What all runs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// Nothing.
    Nothing,
    /// Standard input of this process, for one run alone.
    Inherited,
    /// Standard input of this process, which is a file, from here on.
    File(u64),
}

impl Input {
    /// That of this process, if every run can read it, and whether it is lost.
    pub(super) fn of_this_process() -> (Self, bool) {
        let input = io::stdin();
        let Ok(mut file) = input.as_fd().try_clone_to_owned().map(File::from) else {
            return (Self::Nothing, false);
        };
        match file.metadata().map(|metadata| metadata.file_type()) {
            Ok(kind) if kind.is_file() => match file.stream_position() {
                Ok(position) => (Self::File(position), false),
                Err(_) => (Self::Nothing, true),
            },
            Ok(kind) => (Self::Nothing, kind.is_fifo() && !input.is_terminal()),
            Err(_) => (Self::Nothing, false),
        }
    }

    /// It, from its beginning.
    pub(super) fn open(self) -> anyhow::Result<Stdio> {
        match self {
            Self::Nothing => Ok(Stdio::null()),
            Self::Inherited => Ok(Stdio::inherit()),
            Self::File(position) => {
                // Opened anew: what is inherited shares one position among all that read.
                let mut file =
                    File::open("/dev/stdin").context("cannot read standard input again")?;
                file.seek(SeekFrom::Start(position))?;
                Ok(file.into())
            }
        }
    }
}

/// Runs processes all at once, to the end of each. A signal to this process ends them.
///
/// # Errors
/// When one could not be started; the others have then been ended.
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

/// Runs a process on a thread of its own, whose processors it inherits.
fn run(
    process: &Process,
    input: Input,
    timeout: Option<Duration>,
    interruption: &Interruption,
    start: &Barrier,
) -> Result<Ended, Failure> {
    let prepared = prepare(process, input).or_exit(SETUP);
    // Others wait here for this one, whatever became of it.
    start.wait();
    let Prepared {
        mut command,
        output,
        messages,
    } = prepared?;
    let started = Instant::now();
    let child = command
        .spawn()
        .map_err(|error| runner::cannot_start(command.get_program(), error))?;
    let grace = match process.is_launcher {
        // What it has started takes the one to end.
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
    Ok(Ended {
        // A program that ends well when it is told to end has not done its work.
        exit: match runner::exit(used.status) {
            Exit::Code(0) if timed_out => Exit::Signal(SIGTERM),
            exit => exit,
        },
        timed_out,
        elapsed: nanos(elapsed),
        user: nanos(used.rusage.utime),
        system: nanos(used.rusage.stime),
        processors_there: None,
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

/// Waits until a process has ended, and ends it when its time is over or this process is to end. Tells whether its time
/// was over. The process is there still, as one that nobody waited for.
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
    let mut is_told = false;
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let left =
            left.map(|left| Timespec::try_from(left).expect("no more than the user asked for"));
        let mut events = vec![PollFd::new(&process, PollFlags::IN)];
        if !is_told {
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
        timed_out |= !interrupted && !is_told;
        // Whoever has ended meanwhile needs no signal.
        let _ = kill_process_group(group, next_signal);
        is_told = true;
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
    #[ignore = "judges time: ci/full timed"]
    fn times_ends_and_texts_are_told() {
        let ended = run_one(shell("echo out; echo err >&2; exit 3"), None).unwrap();
        assert_eq!(ended.exit, Exit::Code(3));
        assert_eq!(
            (text(&ended.output), text(&ended.messages)),
            ("out\n".into(), "err\n".into())
        );
        assert!(!ended.timed_out && ended.elapsed > Nanos::ZERO);
        let ended = run_one(shell("kill -9 $$"), None).unwrap();
        assert_eq!(ended.exit, Exit::Signal(9));
    }

    #[test]
    #[ignore = "judges time: ci/full timed"]
    fn processor_time_is_that_of_the_process() {
        let ended = run_one(
            shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"),
            None,
        )
        .unwrap();
        let used = ended.user + ended.system;
        assert!(used > Nanos::from_nanos(1_000_000), "{ended:?}");
        let asleep = run_one(shell("sleep 0.2"), None).unwrap();
        assert!(
            asleep.elapsed >= Nanos::from_nanos(200_000_000),
            "{asleep:?}"
        );
        assert!(
            asleep.user + asleep.system < Nanos::from_nanos(100_000_000),
            "{asleep:?}"
        );
    }

    #[test]
    #[ignore = "judges time: ci/full timed"]
    fn what_takes_too_long_is_ended_with_what_it_started() {
        let ended = run_one(shell("sleep 60 & wait"), Some(Duration::from_millis(50))).unwrap();
        assert!(ended.timed_out);
        assert!(
            ended.elapsed < Nanos::from_nanos(30_000_000_000),
            "{ended:?}"
        );
    }

    #[test]
    #[ignore = "judges time: ci/full timed"]
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
        // This thread's own are as they were.
        assert_eq!(rustix::thread::sched_getaffinity(None).unwrap(), allowed);
    }

    #[test]
    #[ignore = "judges time: ci/full timed"]
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
