//! Stopping the world once, to write out the profile while other threads may still be running.
//!
//! A thread marks itself busy around every piece of bookkeeping and checks the mode inside
//! (`thread/guard.rs`):
//!
//! ```text
//! thread: busy = true;     (A) read mode; if not On, leave; bookkeeping; busy = false (release)
//! writer: mode = Stopping; (B) wait until every thread's busy is false (acquire)
//! ```
//!
//! The writer reads other threads' data only once all have come out. One may not: it may be writing
//! its record to a disk that does not answer, or a debugger may hold it. Then there is no profile,
//! and the world goes on with the engine off: that thread ends its bookkeeping on data that nobody
//! else reads.
//!
//! Either the thread reads `Stopping`, or the writer sees it busy and waits. That takes a full
//! barrier at both (A) and (B). The writer pays for both: `membarrier` makes every running thread
//! of the process pass a barrier, so that (A) is only a compiler fence. Where the kernel has no
//! `membarrier`, (A) is a real fence. A thread that meets `Stopping` waits for `Off`, and then goes
//! on as if the engine had never been there.
//!
//! To copy the data while the program goes on ([`crate::session::snapshot`]), the same is done with
//! `Paused` instead of `Stopping`. A thread that meets `Paused` waits until the mode is what it was
//! before, checks again, and then does its bookkeeping: nothing is lost. A thread that wants to
//! stop the world meanwhile waits for that, too.

use crate::system::sync::{fence, sleep, AtomicU8, Instant, Ordering};
use std::time::Duration;

pub(crate) const OFF: u8 = 0;
pub(crate) const ON: u8 = 1;
pub(crate) const STOPPING: u8 = 2;
/// On, where the kernel has no `membarrier`, or where threads must report when they leave the
/// program for bookkeeping and return.
const ON_FENCED: u8 = 3;
const PAUSED: u8 = 4;

/// On a page of its own, which the kernel gives a child of fork(2) as zeroes: there the engine is
/// off, however the child was made, before any of its code runs, and without a lock.
static MODE: OwnPage<AtomicU8> = OwnPage(AtomicU8::new(OFF));

#[repr(align(4096))]
struct OwnPage<T>(T);

impl<T> std::ops::Deref for OwnPage<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

#[inline(always)]
pub(crate) fn mode() -> u8 {
    match MODE.load(Ordering::Relaxed) {
        ON_FENCED | PAUSED => ON,
        mode => mode,
    }
}

/// Turns the engine on. Call before any thread may be busy. With `apart`, all bookkeeping takes the
/// path on which a thread reports it (`Thread::leave_program`).
pub(crate) fn turn_on(apart: bool) {
    let mode = if !apart && membarrier(Membarrier::Register) {
        ON
    } else {
        ON_FENCED
    };
    wipe_in_children();
    MODE.store(mode, Ordering::SeqCst);
}

/// Whether the engine is on, there is no pause, and the writer pays for the barriers: for the
/// guard, not for asking whether a session is under way:
/// [`active`](crate::state::under_way::active).
#[inline(always)]
pub(crate) fn is_on_unfenced() -> bool {
    // Acquire: what follows happens after any pause that is over.
    MODE.load(Ordering::Acquire) == ON
}

/// Whether the engine is on, there is no pause, and every thread pays for its barrier.
#[cold]
pub(crate) fn is_on_fenced() -> bool {
    fence(Ordering::SeqCst);
    MODE.load(Ordering::Acquire) == ON_FENCED
}

/// Whether there is a pause, for which bookkeeping waits.
#[inline(always)]
pub(crate) fn is_paused() -> bool {
    MODE.load(Ordering::Acquire) == PAUSED
}

/// Waits until the pause is over, but no longer than `limit`.
#[cold]
pub(crate) fn await_resumption(limit: Duration) {
    const STEP: Duration = Duration::from_micros(50);
    let mut waited = Duration::ZERO;
    while is_paused() && waited < limit {
        sleep(STEP);
        waited += STEP;
    }
}

/// Keeps all threads but the caller from the engine's data until [`Pause::end`], if the pause is
/// clean. `None` if the engine is off or is being turned off.
pub(crate) fn pause(others_busy: impl Fn() -> bool) -> Option<Pause> {
    let before = enter(PAUSED)?;
    let is_clean = await_others(before, Duration::from_secs(1), others_busy);
    Some(Pause { before, is_clean })
}

/// A pause of the bookkeeping.
#[must_use]
pub(crate) struct Pause {
    before: u8,
    /// Whether every thread has come out of its bookkeeping. One that writes to a slow disk may
    /// take longer than the pause waits for.
    pub(crate) is_clean: bool,
}

impl Pause {
    /// Lets all threads go on. Release: what was done in the pause happens before what they do.
    pub(crate) fn end(self) {
        MODE.store(self.before, Ordering::SeqCst);
    }

    /// For the copy of the process, where the caller is the only thread: makes it the writer.
    pub(crate) fn become_writer() {
        MODE.store(STOPPING, Ordering::SeqCst);
    }
}

/// The result of an attempt to stop the world for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The caller is the writer: until [`turn_off`], no other thread touches the engine's data.
    Stopped,
    /// A thread did not come out of its bookkeeping within [`PATIENCE`]. Nobody may read the data,
    /// and the engine is off.
    Stuck,
    /// The engine was off, or another thread was first: there is nothing to write, and the world
    /// has gone on.
    Off,
}

/// How long a writer waits for the others. Bookkeeping takes well under a microsecond. A thread
/// that is off the processor in the middle of it may take some time slices, and one that writes its
/// record takes as long as the disk does.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Makes the caller the writer.
pub(crate) fn stop(others_busy: impl Fn() -> bool) -> Stop {
    let Some(on) = enter(STOPPING) else {
        while mode() == STOPPING {
            sleep(Duration::from_millis(1));
        }
        return Stop::Off;
    };
    if await_others(on, PATIENCE, others_busy) {
        return Stop::Stopped;
    }
    turn_off();
    Stop::Stuck
}

/// Switches the mode from on to `mode`, after a pause if there is one. Returns what it was; `None`
/// if the engine is not on, or another thread was first.
fn enter(mode: u8) -> Option<u8> {
    loop {
        await_resumption(Duration::MAX);
        let on = MODE.load(Ordering::SeqCst);
        if !matches!(on, ON | ON_FENCED | PAUSED) {
            return None;
        }
        let entered = on != PAUSED
            && MODE
                .compare_exchange(on, mode, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok();
        if entered {
            return Some(on);
        }
    }
}

/// Waits until no thread is in the middle of its bookkeeping, but no longer than `limit`. The mode
/// was `on`, and has already been changed. Returns whether all have come out.
fn await_others(on: u8, limit: Duration, others_busy: impl Fn() -> bool) -> bool {
    if on == ON {
        membarrier(Membarrier::Expedited);
    }
    fence(Ordering::SeqCst);
    let deadline = Instant::now() + limit;
    while others_busy() {
        if Instant::now() >= deadline {
            return false;
        }
        sleep(Duration::from_micros(50));
    }
    true
}

/// Releases the threads that met `Stopping`.
pub(crate) extern "C" fn turn_off() {
    MODE.store(OFF, Ordering::SeqCst);
}

/// Has the kernel (Linux from 4.14 on) fill the mode's page with zeroes, [`OFF`], in children of
/// fork(2). Where it cannot, the handler that the session registers with pthread_atfork(3) turns
/// the engine off.
#[cfg(all(target_os = "linux", not(miri), not(loom), not(workspan_sanitizer)))]
fn wipe_in_children() {
    use std::ffi::{c_int, c_void};
    extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    const WIPE_ON_FORK: c_int = 18;
    let page = std::ptr::from_ref(&MODE).cast_mut();
    // SAFETY: the page is the mode's alone (`OwnPage`), and in this process nothing changes; where
    // pages are larger, the call fails.
    unsafe { madvise(page.cast(), std::mem::size_of_val(&MODE), WIPE_ON_FORK) };
}

#[cfg(not(all(target_os = "linux", not(miri), not(loom), not(workspan_sanitizer))))]
fn wipe_in_children() {}

#[derive(Clone, Copy, PartialEq)]
enum Membarrier {
    Register,
    Expedited,
}

#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    ),
    not(miri)
))]
fn membarrier(command: Membarrier) -> bool {
    use std::ffi::{c_int, c_long, c_uint};
    extern "C" {
        fn syscall(number: c_long, ...) -> c_long;
    }
    #[cfg(target_arch = "x86_64")]
    const NUMBER: c_long = 324;
    #[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
    const NUMBER: c_long = 283;
    const PRIVATE_EXPEDITED: c_int = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: c_int = 1 << 4;
    let command = if command == Membarrier::Register {
        REGISTER_PRIVATE_EXPEDITED
    } else {
        PRIVATE_EXPEDITED
    };
    let flags: c_uint = 0;
    let processor: c_int = 0;
    // SAFETY: membarrier(2) takes three integers and touches no memory of ours.
    (unsafe { syscall(NUMBER, command, flags, processor) }) == 0
}

#[cfg(not(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    ),
    not(miri)
)))]
fn membarrier(_: Membarrier) -> bool {
    false
}
