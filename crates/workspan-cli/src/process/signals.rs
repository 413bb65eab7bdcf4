//! Signals that end programs: the program gets them, while this process continues, to report.
//!
//! Signals from the terminal (Ctrl-C, hang-up) reach the program by themselves. Those that another
//! process sends to the runner alone are forwarded.

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

/// Installed handlers for the signals to forward.
pub(crate) struct Forwarder {
    signals: SignalsInfo<WithOrigin>,
}

/// The thread that forwards signals to a program.
pub(crate) struct Forwarding {
    handle: Handle,
    stopped: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Forwarder {
    /// Installs handlers for the signals that this process does not ignore. The program is to
    /// inherit that the others are ignored, and a handler would prevent that.
    pub(crate) fn install() -> io::Result<Self> {
        Ok(Self {
            signals: SignalsInfo::new(ending_signals())?,
        })
    }

    /// Starts to forward signals to `child`.
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
                        // It fails only if the program has ended in the meantime.
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
    /// Stops forwarding. To be called once the program has ended.
    pub(crate) fn stop(self) {
        self.stopped.store(true, Ordering::Release);
        self.handle.close();
        if let Err(panic) = self.thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
}

/// Lets signals end this process again, although handlers were installed. For good.
pub(crate) fn end_by_signals() {
    for signal in ending_signals() {
        // If this fails, the signal is ignored, as before.
        let _ = flag::register_conditional_default(signal, Arc::new(AtomicBool::new(true)));
    }
}

/// Remembers the signals that came to end this process or its program.
pub(crate) struct Interruption {
    /// The last signal; 0 before the first.
    last: Arc<AtomicUsize>,
    /// Becomes readable with the first signal.
    receiver: UnixStream,
}

impl Interruption {
    /// Starts watching. From now on, these signals do not end this process.
    pub(crate) fn watch() -> io::Result<Self> {
        let last = Arc::new(AtomicUsize::new(0));
        let (receiver, sender) = UnixStream::pair()?;
        for signal in ending_signals() {
            flag::register_usize(signal, Arc::clone(&last), signal.unsigned_abs() as usize)?;
            pipe::register(signal, sender.try_clone()?)?;
        }
        Ok(Self { last, receiver })
    }

    /// The last signal, if there was one.
    pub(crate) fn signal(&self) -> Option<i32> {
        let signal = self.last.load(Ordering::Acquire);
        i32::try_from(signal).ok().filter(|&signal| signal != 0)
    }

    /// A descriptor to wait for: it becomes readable with the first signal.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.receiver.as_fd()
    }
}

/// Makes a write beyond the limit of file sizes (`ulimit -f`) fail, as on a full disk, instead of
/// ending this process. This takes a handler: programs that this process starts get the default
/// action, which they would not if the signal were ignored.
pub(crate) fn survive_limits() {
    if ignored_signals() & (1 << (SIGXFSZ - 1)) == 0 {
        // If this fails, the signal keeps its action.
        let _ = flag::register(SIGXFSZ, Arc::default());
    }
}

/// The signals that end programs, without those that this process ignores.
fn ending_signals() -> impl Iterator<Item = i32> {
    let ignored = ignored_signals();
    ENDING
        .into_iter()
        .filter(move |signal| ignored & (1 << (signal - 1)) == 0)
}

/// False if the kernel sent the signal for a terminal: then the program got it, too.
fn is_for_this_process(origin: &Origin) -> bool {
    !matches!(origin.cause, Cause::Kernel)
}

/// The set of ignored signals, bit 0 for signal 1. Empty if the kernel does not report it.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
