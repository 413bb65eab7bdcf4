//! Writes the profile, or the idle time, of a program that is interrupted.
//!
//! SIGHUP, SIGINT and SIGTERM end a program unless it handles or ignores them. The handler may do
//! next to nothing, so it only wakes a thread of the engine, which writes the profile and then lets
//! the signal do what it would have done. It does the same, as if SIGINT had come, with a program
//! that has stood still for as long as it may.

use crate::clock::{self, Clock};
use crate::constructs::user_thread;
use crate::session::watchdog::Watchdog;
use crate::state::{process, under_way};
use crate::system::process_end::Ending;
use crate::system::semaphore::Semaphore;
use crate::{idle, sampler, session, thread};
use std::ffi::{c_int, c_void};
use std::io::ErrorKind;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Barrier, Once};
use std::time::Duration;

const SIGHUP: c_int = 1;
const SIGINT: c_int = 2;
const SIGTERM: c_int = 15;
const SIG_DFL: usize = 0;
const SA_SIGINFO: c_int = 4;
const SA_RESTART: c_int = 0x1000_0000;
/// The code of a signal that the program sent to one thread, as `raise` does.
const SI_TKILL: c_int = -6;
/// How long a thread that called `raise` waits for the signal to end the process.
const MOST_WAITING: Duration = Duration::from_secs(10);

/// The signal that came, 0 if none did; and what wakes the engine's thread then.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
static WAKE: Semaphore = Semaphore::new();

extern "C" {
    fn signal(number: c_int, handler: usize) -> usize;
    fn sigaction(number: c_int, new: *const c_void, old: *mut [usize; 32]) -> c_int;
    fn pthread_sigmask(how: c_int, new: *const Set, old: *mut Set) -> c_int;
    fn raise(number: c_int) -> c_int;
    fn exit(code: c_int) -> !;
}

/// `struct sigaction` of the C libraries on both architectures.
#[repr(C)]
struct Action {
    handler: usize,
    mask: [u64; 16],
    flags: c_int,
    restorer: usize,
}

/// The beginning of `siginfo_t`.
#[repr(C)]
struct Info {
    signal: c_int,
    error: c_int,
    code: c_int,
}

/// Wakes the engine's thread.
///
/// # Safety
/// For the kernel, as a handler with `SA_SIGINFO`: `info` points at what it tells of the signal.
unsafe extern "C" fn wake(number: c_int, info: *const Info, _context: *const c_void) {
    if !process::is_ours() {
        // A child of a fork has the handler, but no engine behind it.
        default_action(number);
        return;
    }
    SIGNAL.store(number, Ordering::Relaxed);
    WAKE.post();
    // SAFETY: the kernel passes a valid structure to a handler with `SA_SIGINFO` (`# Safety`).
    if unsafe { (*info).code } == SI_TKILL {
        // What follows a `raise` that ends the program must not run. The wait is bounded, though:
        // if another thread sent the signal, this one may hold something that the engine's thread
        // needs. A thread in its bookkeeping does not wait at all: the writer waits for it.
        // SAFETY: null, or the calling thread's data, which are never freed.
        let thread = unsafe { thread::current().as_ref() };
        if !thread.is_some_and(|thread| thread.busy.load(Ordering::Relaxed)) {
            std::thread::sleep(MOST_WAITING);
        }
    }
}

/// Calls [`watch`] the first time it is called while something is measured by a real clock.
pub(crate) fn watch_once() {
    static ONCE: Once = Once::new();
    let is_profiled = under_way::active() && clock::chosen() != Clock::Virtual;
    if is_profiled || idle::is_under_way() {
        ONCE.call_once(watch);
    }
}

/// Starts the engine's thread, which waits for signals and watches for hangs, and installs the
/// handlers where the program has none.
fn watch() {
    // SAFETY: `watch_once` calls this once, and the thread and the handlers that use the semaphore
    // are not there yet.
    if !unsafe { WAKE.prepare() } {
        return;
    }
    // While the thread starts, it may take over memory that another thread left (the allocator's
    // arena), which the program then does not get, by chance in one run and not in another. So
    // where instructions are counted to the last one, its start is awaited. Elsewhere it is not:
    // whoever loads a library may call here, and hold what the thread needs to start.
    static HAS_BEGUN: Barrier = Barrier::new(2);
    let is_awaited = clock::chosen() == Clock::Emulated;
    let wait = move || {
        if is_awaited {
            HAS_BEGUN.wait();
        }
        let mut watchdog = Watchdog::default();
        while under_way::active() || idle::is_under_way() {
            match WAKE.wait(Duration::from_secs(1)).map_err(|e| e.kind()) {
                Ok(()) => {
                    watchdog.look_last();
                    die_of(SIGNAL.load(Ordering::Relaxed));
                }
                Err(ErrorKind::TimedOut) => {
                    if watchdog.look(writes_on(SIGINT)) {
                        // As after a signal, this thread is in no code of the program, holds
                        // nothing of it, and is the only one that writes: whoever is in the middle
                        // of its bookkeeping, or at the exit, is awaited. What the program has made
                        // of SIGINT does not matter: the thread that sends it to itself lets it
                        // through, and takes the default action first.
                        die_of(SIGINT);
                    }
                    sampler::look();
                    if is_last_thread() {
                        // SAFETY: no other thread is there that could be at its own exit, or that
                        // still uses what exit(3) ends.
                        unsafe { exit(0) };
                    }
                }
                Err(ErrorKind::Interrupted) => {}
                Err(_) => return,
            }
        }
    };
    let builder = std::thread::Builder::new()
        .name("workspan".into())
        .stack_size(256 * 1024);
    // The thread takes no signal from the program: a program that waits for signals blocks them in
    // all of its own threads.
    let thread = without_any(|| user_thread::start_unobserved(|| builder.spawn(wait)));
    if thread.is_err() {
        return;
    }
    if is_awaited {
        HAS_BEGUN.wait();
    }
    for number in [SIGHUP, SIGINT, SIGTERM] {
        if is_default(number) {
            let action = Action {
                handler: wake as *const () as usize,
                mask: [0; 16],
                flags: SA_SIGINFO | SA_RESTART,
                restorer: 0,
            };
            // SAFETY: the structure is laid out as the C library's. `wake` is async-signal-safe,
            // and lives as long as the program.
            unsafe { sigaction(number, ptr::from_ref(&action).cast(), ptr::null_mut()) };
        }
    }
}

/// `sigset_t` of the C libraries of 64-bit Linux; signal N is bit N - 1.
type Set = [u64; 16];
const BLOCK: c_int = 0;
const UNBLOCK: c_int = 1;
const SET_MASK: c_int = 2;

/// Runs `start` while the calling thread blocks all signals, so that threads it starts never take
/// any.
fn without_any<R>(start: impl FnOnce() -> R) -> R {
    let mut mask: Set = [0; 16];
    // SAFETY: the sets are as large as the C library's type, and the call writes `mask` alone,
    // which is ours.
    let is_blocked = unsafe { pthread_sigmask(BLOCK, &[u64::MAX; 16], &mut mask) } == 0;
    let result = start();
    if is_blocked {
        // SAFETY: the set is as large as the C library's type, and null is allowed for what is not
        // asked.
        unsafe { pthread_sigmask(SET_MASK, &mask, ptr::null_mut()) };
    }
    result
}

/// Have all of the program's threads ended, the main one by pthread_exit(3)? Without this thread,
/// the process would then have ended with 0.
fn is_last_thread() -> bool {
    // "pid (comm) state …": the main thread stays as a zombie while others run.
    let main = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let state = main.rsplit_once(") ").map(|(_, rest)| rest.as_bytes()[0]);
    let threads = || std::fs::read_dir("/proc/self/task").map_or(usize::MAX, Iterator::count);
    state == Some(b'Z') && threads() == 2
}

/// Does the program leave the signal to its default action?
fn is_default(number: c_int) -> bool {
    handler_of(number) == Some(SIG_DFL)
}

/// Is a profile written when the signal comes?
fn writes_on(number: c_int) -> bool {
    handler_of(number) == Some(wake as *const () as usize)
}

/// What handles the signal; `None` if the system does not say.
fn handler_of(number: c_int) -> Option<usize> {
    // `struct sigaction` begins with the handler and has 152 bytes on 64-bit Linux.
    let mut action = [usize::MAX; 32];
    // SAFETY: nothing is set, and the buffer that is written is larger than the C library's type.
    let failed = unsafe { sigaction(number, ptr::null(), &mut action) } != 0;
    (!failed).then_some(action[0])
}

/// Lets the signal do what it does to a program without a handler: end it.
fn default_action(number: c_int) {
    // SAFETY: both take numbers alone, and may be called in a signal handler.
    unsafe {
        signal(number, SIG_DFL);
        raise(number);
    }
}

fn die_of(number: c_int) {
    session::finish_and_write(Ending::Signal(number));
    idle::finish(Ending::Signal(number));
    let mut this: Set = [0; 16];
    this[0] = 1 << (number - 1);
    // SAFETY: the set is as large as the C library's type, and null is allowed for what is not
    // asked.
    unsafe { pthread_sigmask(UNBLOCK, &this, ptr::null_mut()) };
    default_action(number);
}
