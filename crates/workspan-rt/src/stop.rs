//! Stopping the world once, to write the profile out while other threads may still run.
//!
//! A thread marks itself busy around every piece of bookkeeping and looks at the mode inside:
//!
//! ```text
//! thread:  busy = true;   (A)   read mode; if not On, leave;  … bookkeeping …;  busy = false (release)
//! writer:  mode = Stopping; (B) wait until every thread's busy is false (acquire)
//! ```
//!
//! Either the thread reads `Stopping`, or the writer sees it busy and waits. That needs a full barrier at both
//! (A) and (B). The writer pays for both: `membarrier` makes every running thread of the process pass one, so
//! that (A) is only a compiler fence. Where the kernel has no `membarrier`, (A) is a real fence.
//! A thread that meets `Stopping` waits for `Off`, and then goes on as if the engine had never been there.

use crate::sync::{compiler_fence, fence, sleep, AtomicU8, Instant, Ordering};
use crate::thread::Thread;
use std::time::Duration;

pub(crate) const OFF: u8 = 0;
pub(crate) const ON: u8 = 1;
pub(crate) const STOPPING: u8 = 2;
/// On, where the kernel has no `membarrier`.
const ON_FENCED: u8 = 3;

static MODE: AtomicU8 = AtomicU8::new(OFF);

#[inline(always)]
pub(crate) fn mode() -> u8 {
    match MODE.load(Ordering::Relaxed) {
        ON_FENCED => ON,
        mode => mode,
    }
}

/// Turns the engine on. Call before any thread may be busy.
pub(crate) fn turn_on() {
    let mode = if membarrier(Membarrier::Register) {
        ON
    } else {
        ON_FENCED
    };
    MODE.store(mode, Ordering::SeqCst);
}

/// Runs `f`, the bookkeeping of `thread` (the caller's own), unless the engine is off.
#[inline(always)]
pub(crate) fn guarded<R>(thread: &Thread, f: impl FnOnce(&Thread) -> R) -> Option<R> {
    thread.busy.store(true, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    if MODE.load(Ordering::Relaxed) != ON {
        return guarded_slowly(thread, f);
    }
    let result = f(thread);
    thread.busy.store(false, Ordering::Release);
    Some(result)
}

/// As [`guarded`], for what may come in the middle of the bookkeeping itself or of the writing: does nothing then, and
/// never waits.
#[inline(always)]
pub(crate) fn guarded_if_free(thread: &Thread, f: impl FnOnce(&Thread)) {
    if thread.busy.load(Ordering::Relaxed) {
        return;
    }
    thread.busy.store(true, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    if MODE.load(Ordering::Relaxed) == ON || is_on_with_fence() {
        f(thread);
    }
    thread.busy.store(false, Ordering::Release);
}

#[cold]
fn is_on_with_fence() -> bool {
    fence(Ordering::SeqCst);
    mode() == ON
}

#[cold]
fn guarded_slowly<R>(thread: &Thread, f: impl FnOnce(&Thread) -> R) -> Option<R> {
    fence(Ordering::SeqCst);
    let result = (mode() == ON).then(|| f(thread));
    thread.busy.store(false, Ordering::Release);
    while mode() == STOPPING {
        sleep(Duration::from_millis(1));
    }
    result
}

/// Makes the caller the writer: from now on no thread but it touches the engine's data. False if the engine
/// was off, or another thread was first: then there is nothing to write, and the world has gone on.
pub(crate) fn stop(others_busy: impl Fn() -> bool) -> bool {
    let on = MODE.load(Ordering::SeqCst);
    let stopped = |on| {
        MODE.compare_exchange(on, STOPPING, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    };
    if !matches!(on, ON | ON_FENCED) || !stopped(on) {
        while mode() == STOPPING {
            sleep(Duration::from_millis(1));
        }
        return false;
    }
    if on == ON {
        membarrier(Membarrier::Expedited);
    }
    fence(Ordering::SeqCst);
    // Bookkeeping takes well under a microsecond; a thread that is off the processor in the middle of it may
    // take some time slices.
    let deadline = Instant::now() + Duration::from_secs(1);
    while others_busy() && Instant::now() < deadline {
        sleep(Duration::from_micros(50));
    }
    true
}

/// Lets the threads go on that met `Stopping`.
pub(crate) extern "C" fn turn_off() {
    MODE.store(OFF, Ordering::SeqCst);
}

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
