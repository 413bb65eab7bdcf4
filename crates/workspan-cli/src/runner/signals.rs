//! Signals that end programs: the program gets them, and this process lives on to report.
//!
//! What the terminal sends (Ctrl-C, hanging up) reaches the program by itself. What another process sends to
//! the runner alone is passed on.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::iterator::{Handle, SignalsInfo};
use signal_hook::low_level::pipe;
use signal_hook::low_level::siginfo::{Cause, Origin};

const ENDING: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];

/// The handlers, installed.
pub(crate) struct Forwarder {
    signals: SignalsInfo<WithOrigin>,
}

/// The thread that passes signals on to a program.
pub(crate) struct Forwarding {
    handle: Handle,
    stopped: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Forwarder {
    /// Installs handlers for the signals that this process does not ignore: what is ignored here is to stay
    /// ignored in the program, and a handler would change that.
    pub(crate) fn install() -> io::Result<Self> {
        Ok(Self {
            signals: SignalsInfo::new(wanted())?,
        })
    }

    /// Starts to pass signals on to `child`.
    pub(crate) fn forward_to(self, child: &Child) -> Forwarding {
        let mut signals = self.signals;
        let handle = signals.handle();
        let stopped = Arc::new(AtomicBool::new(false));
        let pid = Pid::from_child(child);
        let thread = thread::spawn({
            let stopped = Arc::clone(&stopped);
            move || {
                for origin in &mut signals {
                    if !is_for_this_process(&origin) {
                        continue;
                    }
                    let signal = Signal::from_named_raw(origin.signal);
                    if let Some(signal) = signal
                        && !stopped.load(Ordering::Acquire)
                    {
                        // A program that has ended in the meantime needs no signal.
                        let _ = kill_process(pid, signal);
                    }
                }
            }
        });
        Forwarding {
            handle,
            stopped,
            thread,
        }
    }
}

impl Forwarding {
    /// Ends the passing on, once the program has ended.
    pub(crate) fn stop(self) {
        self.stopped.store(true, Ordering::Release);
        self.handle.close();
        if let Err(panic) = self.thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
}

/// What came to end this process or its program.
pub(crate) struct Interruption {
    /// The last such signal; 0 before.
    last: Arc<AtomicUsize>,
    /// Can be read from once there was one.
    came: UnixStream,
}

impl Interruption {
    /// Watches from now on.
    pub(crate) fn watch() -> io::Result<Self> {
        let last = Arc::new(AtomicUsize::new(0));
        let (came, comes) = UnixStream::pair()?;
        for signal in wanted() {
            flag::register_usize(signal, Arc::clone(&last), signal.unsigned_abs() as usize)?;
            pipe::register(signal, comes.try_clone()?)?;
        }
        Ok(Self { last, came })
    }

    /// The last signal, if there was one.
    pub(crate) fn signal(&self) -> Option<i32> {
        let signal = self.last.load(Ordering::Acquire);
        i32::try_from(signal).ok().filter(|&signal| signal != 0)
    }

    /// To be waited for: can be read from once there was a signal.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.came.as_fd()
    }
}

/// Lets a write beyond the limit of a file's size (`ulimit -f`) fail as on a full disk, instead of ending this process. By a
/// handler, in whose place programs that are started have the signal's default action again.
pub(crate) fn survive_limits() {
    if ignored_signals() & (1 << (SIGXFSZ - 1)) == 0 {
        // Where it cannot be, the signal does what it would have done.
        let _ = flag::register(SIGXFSZ, Arc::default());
    }
}

/// The signals that end programs and are not ignored here.
fn wanted() -> impl Iterator<Item = i32> {
    let ignored = ignored_signals();
    ENDING
        .into_iter()
        .filter(move |signal| ignored & (1 << (signal - 1)) == 0)
}

/// False for what the kernel sent on behalf of a terminal: the program got it too.
fn is_for_this_process(origin: &Origin) -> bool {
    !matches!(origin.cause, Cause::Kernel)
}

/// Set of ignored signals, bit 0 for signal 1; none if the kernel does not tell.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
