//! What sampling needs of Linux besides the threads' [timers](crate::thread::samples::timer): the
//! handler of the signal that they raise, and what it takes from the thread that it interrupts.
//!
//! These are the kernel's own structures, the same under every C library. Only the handler is
//! installed by the C library's function, since the return from a handler is up to the library.

mod registers;

use crate::stack::code::Code;
use crate::stack::{self, Registers};
use crate::thread::samples::timer::SIGPROF;
use crate::thread::{self, Thread};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::Ordering;

pub(super) const SIG_IGN: usize = 1;
const SA_SIGINFO: c_int = 4;
const SA_ONSTACK: c_int = 0x0800_0000;
const SA_RESTART: c_int = 0x1000_0000;
const SI_TIMER: c_int = -2;
const ITIMER_PROF: c_int = 2;

extern "C" {
    fn sigaction(number: c_int, new: *const c_void, old: *mut [usize; 32]) -> c_int;
    fn getitimer(which: c_int, value: *mut [i64; 4]) -> c_int;
}

/// `struct sigaction` of the C libraries on both architectures.
#[repr(C)]
struct Action {
    handler: usize,
    mask: [u64; 16],
    flags: c_int,
    restorer: usize,
}

/// The handler of the signal; `None` if it cannot be determined.
fn present_handler() -> Option<usize> {
    // The structure begins with the handler.
    let mut action = [0; 32];
    // SAFETY: nothing is set, and the buffer that is written is larger than the C library's
    // structure.
    let failed = unsafe { sigaction(SIGPROF, ptr::null(), &mut action) } != 0;
    (!failed).then_some(action[0])
}

/// The beginning of `siginfo_t`, as a timer fills it.
#[repr(C)]
struct Info {
    signal: c_int,
    error: c_int,
    code: c_int,
    _pad: c_int,
    timer: c_int,
    overrun: c_int,
    value: usize,
}

fn handler() -> usize {
    on_signal as unsafe extern "C" fn(c_int, *const Info, *const c_void) as usize
}

/// Installs the handler, unless somebody else uses the signal.
pub(super) fn take_signal() -> Result<(), &'static str> {
    match present_handler() {
        Some(present) if present == handler() => return Ok(()),
        Some(present) if present <= SIG_IGN => {}
        Some(_) => return Err("another profiler handles SIGPROF, the signal that sampling needs"),
        None => return Err("the handler of SIGPROF cannot be asked for"),
    }
    let mut running = [0; 4];
    // SAFETY: the call only writes `running`, which is as large as `struct itimerval`, four longs.
    let failed = unsafe { getitimer(ITIMER_PROF, &mut running) } != 0;
    if failed || running != [0; 4] {
        return Err(
            "another profiler's timer (ITIMER_PROF) raises SIGPROF, the signal that sampling needs",
        );
    }
    let action = Action {
        handler: handler(),
        mask: [0; 16],
        flags: SA_SIGINFO | SA_ONSTACK | SA_RESTART,
        restorer: 0,
    };
    let action = ptr::from_ref(&action).cast();
    // SAFETY: the structure is laid out as the C library's. The handler is async-signal-safe (see
    // the module above) and lives as long as the program.
    let failed = unsafe { sigaction(SIGPROF, action, ptr::null_mut()) } != 0;
    if failed {
        return Err("a handler of SIGPROF cannot be installed");
    }
    Ok(())
}

/// Is the signal still ours?
pub(super) fn has_signal() -> bool {
    present_handler().map_or(true, |present| present == handler())
}

/// Takes a sample. See the module above for why it may do what it does.
///
/// # Safety
/// For the kernel, as a handler with `SA_SIGINFO`: both pointers are those that it passes to one.
unsafe extern "C" fn on_signal(_: c_int, info: *const Info, context: *const c_void) {
    let thread = thread::current();
    // SAFETY: the kernel passes both pointers to a handler with `SA_SIGINFO` (`# Safety`); `thread`
    // is null or points at data that are never freed.
    let (info, thread) = unsafe {
        let Some(thread) = thread.as_ref() else {
            return;
        };
        (&*info, thread)
    };
    // Signals raised by others, or by timers of theirs, are not ours to count: `Timer::start` gives
    // the kernel the address of the thread's data as the timer's value.
    if info.code == SI_TIMER && info.value == ptr::from_ref(thread) as usize {
        let periods = 1 + u64::try_from(info.overrun).unwrap_or(0);
        // SAFETY: the kernel has interrupted the calling thread with this context (`# Safety`).
        unsafe { interrupted(thread, periods, context) };
    }
}

/// Takes a sample of the calling thread, whose data is `thread`.
///
/// # Safety
/// The thread must be the calling one, interrupted with this `context`.
unsafe fn interrupted(thread: &Thread, weight: u64, context: *const c_void) {
    let samples = &thread.samples;
    // SAFETY: it is the handler's (`# Safety`).
    let registers = unsafe { Registers::of(context) };
    let on_stack = samples.has_on_stack(registers.stack);
    // SAFETY: it is the handler's (`# Safety`).
    let operand = || unsafe { registers::atomic_operand(context) };
    super::taking::take(thread, weight, operand, |in_strand, to| {
        let base = if in_strand {
            thread.base()
        } else {
            samples.stack[1].load(Ordering::Relaxed)
        };
        // The task may have begun on another stack.
        let limit = if on_stack && samples.has_on_stack(base.wrapping_sub(1)) {
            base
        } else {
            0
        };
        // SAFETY: the top and `limit` lie on the thread's own stack, which is mapped from its top
        // to its end; or `limit` is 0, and nothing is read.
        unsafe { stack::copy(registers, limit, Code::of_process(), to) }
    });
}
