//! What sampling needs of Linux: a signal, and for each thread a timer of its processor time that raises it there.
//!
//! The kernel's own structures and system calls, which are the same under every C library; only the handler is installed
//! by the library's function, since the way back from a handler is the library's.

mod registers;

use crate::code::Code;
use crate::stack::{self, Registers};
use crate::thread::{self, Thread};
use std::ffi::{c_int, c_long, c_void};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

pub(super) const SIGPROF: c_int = 27;
pub(super) const SIG_IGN: usize = 1;
const SA_SIGINFO: c_int = 4;
const SA_ONSTACK: c_int = 0x0800_0000;
const SA_RESTART: c_int = 0x1000_0000;
const SI_TIMER: c_int = -2;
const ITIMER_PROF: c_int = 2;
const THREAD_CPUTIME: c_int = 3;
const SIGEV_THREAD_ID: c_int = 4;

#[cfg(target_arch = "x86_64")]
mod number {
    use std::ffi::c_long;
    pub(super) const GETTID: c_long = 186;
    pub(super) const TIMER_CREATE: c_long = 222;
    pub(super) const TIMER_SETTIME: c_long = 223;
    pub(super) const TIMER_DELETE: c_long = 226;
}

#[cfg(target_arch = "aarch64")]
mod number {
    use std::ffi::c_long;
    pub(super) const GETTID: c_long = 178;
    pub(super) const TIMER_CREATE: c_long = 107;
    pub(super) const TIMER_SETTIME: c_long = 110;
    pub(super) const TIMER_DELETE: c_long = 111;
}

extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
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

/// The handler of the signal; `None` if that cannot be told.
fn present_handler() -> Option<usize> {
    // The structure begins with it.
    let mut action = [0; 32];
    // SAFETY: only asks; the buffer is larger than the C library's structure.
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

/// `struct sigevent`, as the kernel reads it for a thread.
#[repr(C)]
struct Event {
    value: usize,
    signal: c_int,
    notify: c_int,
    thread: c_int,
    _pad: [c_int; 11],
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
    // SAFETY: `struct itimerval` is four longs, and the call only writes it.
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
    // SAFETY: the handler is async-signal-safe (see the module above) and lives as long as the program.
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

/// A thread's timer.
pub(super) struct Timer(AtomicI32);

const NONE: i32 = -1;

impl Default for Timer {
    fn default() -> Self {
        Self(AtomicI32::new(NONE))
    }
}

impl Timer {
    pub(super) fn runs(&self) -> bool {
        self.0.load(Ordering::Relaxed) != NONE
    }

    /// Starts the timer of the calling thread, whose data is `thread`. False if the kernel has none to give.
    pub(super) fn start(&self, thread: *const Thread, rate: u32) -> bool {
        let mut timer: c_int = 0;
        let period = 1_000_000_000 / i64::from(rate.max(1));
        let period = [period / 1_000_000_000, period % 1_000_000_000];
        let times = [period, period];
        let nothing: *mut c_void = ptr::null_mut();
        // SAFETY: the structures are the kernel's, and outlive the calls.
        unsafe {
            let mut event = Event {
                value: thread as usize,
                signal: SIGPROF,
                notify: SIGEV_THREAD_ID,
                thread: syscall(number::GETTID) as c_int,
                _pad: [0; 11],
            };
            let (event, id) = (ptr::addr_of_mut!(event), ptr::addr_of_mut!(timer));
            if syscall(number::TIMER_CREATE, THREAD_CPUTIME as c_long, event, id) != 0 {
                return false;
            }
            let (id, relative) = (timer as c_long, 0 as c_long);
            if syscall(number::TIMER_SETTIME, id, relative, &times, nothing) != 0 {
                syscall(number::TIMER_DELETE, id);
                return false;
            }
        }
        self.0.store(timer, Ordering::Relaxed);
        true
    }

    /// Ends the timer, from any thread.
    pub(super) fn stop(&self) {
        let timer = self.0.swap(NONE, Ordering::Relaxed);
        if timer != NONE {
            // SAFETY: a timer of this process, given back once: it was exchanged for none.
            unsafe { syscall(number::TIMER_DELETE, timer as c_long) };
        }
    }
}

/// Takes a sample. See the module above for why it may do what it does.
unsafe extern "C" fn on_signal(_: c_int, info: *const Info, context: *const c_void) {
    let thread = thread::current();
    // SAFETY: the kernel gives both pointers to a handler with `SA_SIGINFO`; a thread's data is never freed.
    let (info, thread, registers) = unsafe {
        let Some(thread) = thread.as_ref() else {
            return;
        };
        (&*info, thread, Registers::of(context))
    };
    // What others raise, or a timer of theirs, is not ours to count.
    if info.code == SI_TIMER && info.value == ptr::from_ref(thread) as usize {
        // SAFETY: these are the registers of the calling thread.
        unsafe {
            interrupted(
                thread,
                1 + u64::try_from(info.overrun).unwrap_or(0),
                registers,
            )
        };
    }
}

/// Takes a sample of the calling thread, whose data is `thread`.
///
/// # Safety
/// The thread must have been interrupted with these `registers`.
unsafe fn interrupted(thread: &Thread, weight: u64, registers: Registers) {
    let samples = &thread.samples;
    let on_stack = samples.has_on_stack(registers.stack);
    // Where the task began may have been on another stack.
    let base = thread.base();
    let limit = if on_stack && samples.has_on_stack(base.wrapping_sub(1)) {
        base
    } else {
        0
    };
    super::take(thread, weight, |to| {
        // SAFETY: top of the stack and limit lie on the thread's own stack, which is mapped from its top on; without the
        // limit nothing is read.
        unsafe { stack::copy(registers, limit, Code::of_process(), to) }
    });
}
