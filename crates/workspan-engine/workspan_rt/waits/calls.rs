//! The functions of the C library by which threads wait, or are restricted to some processors.
//!
//! What the program sees of them stays as it is: results, `errno`, and every call of `syscall` that
//! is not about a futex.

mod affinity;
mod outside;

use super::{wake, End, Until, Wait, SLEEP};
use crate::system::c_function::CFunction;
use crate::system::rseq;
use std::ffi::{c_int, c_long, c_void};

#[cfg(target_arch = "x86_64")]
const FUTEX: c_long = 202;
#[cfg(target_arch = "aarch64")]
const FUTEX: c_long = 98;

/// The bits of a futex's operation that say what to do, and the operations.
const OPERATION: usize = 0x7F;
const WAIT: usize = 0;
const WAKE: usize = 1;
const WAIT_BITSET: usize = 9;
const WAKE_BITSET: usize = 10;

const EAGAIN: isize = 11;

extern "C" {
    fn __errno_location() -> *mut c_int;
}

/// `errno` of the calling thread.
fn errno() -> *mut c_int {
    // SAFETY: the function may be called at any time, and returns a thread's own variable.
    unsafe { __errno_location() }
}

/// Runs `f`, and leaves `errno` as it is.
fn keeping_errno<R>(f: impl FnOnce() -> R) -> R {
    let errno = errno();
    // SAFETY: the variable is this thread's own, and lives as long as the thread.
    let before = unsafe { *errno };
    let result = f();
    // SAFETY: as above.
    unsafe { *errno = before };
    result
}

/// Looks up what calls need, some of which may come in a handler of a signal.
pub(super) fn prepare() {
    affinity::look_up();
    outside::look_up();
    rseq::stayed_again();
}

/// Calls the kernel. The C library's function takes any number of arguments, in the registers and
/// the place on the stack where these are.
///
/// # Safety
/// As syscall(2).
#[no_mangle]
pub unsafe extern "C" fn syscall(
    number: c_long,
    first: usize,
    second: usize,
    third: usize,
    fourth: usize,
    fifth: usize,
    sixth: usize,
) -> c_long {
    let arguments = [first, second, third, fourth, fifth, sixth];
    // SAFETY: the arguments are as syscall(2) wants them (`# Safety`).
    let call = || unsafe { kernel(number, arguments) };
    let result = match second & OPERATION {
        WAIT | WAIT_BITSET if number == FUTEX => {
            let until = match fourth {
                0 => Until::Woken,
                _ => Until::Moment,
            };
            let wait = keeping_errno(|| Wait::begin(first as u64, until));
            let result = call();
            if let Some(wait) = wait {
                keeping_errno(|| {
                    wait.end(match -result {
                        0 => End::Woken,
                        EAGAIN => End::NoWait,
                        _ => End::Other,
                    });
                });
            }
            result
        }
        WAKE | WAKE_BITSET if number == FUTEX => {
            keeping_errno(|| wake(first as u64));
            call()
        }
        _ => call(),
    };
    if (-4095..0).contains(&result) {
        // SAFETY: the variable is this thread's own, and lives as long as the thread.
        unsafe { *errno() = -result as c_int };
        return -1;
    }
    result as c_long
}

/// Calls the kernel, and returns what it returns: an error as a negative number.
///
/// # Safety
/// As syscall(2).
#[inline(always)]
unsafe fn kernel(number: c_long, arguments: [usize; 6]) -> isize {
    let [first, second, third, fourth, fifth, sixth] = arguments;
    let result: isize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: what the call does is up to the caller (`# Safety`); the kernel changes no registers
    // but those named, and nothing on the stack.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") first, in("rsi") second, in("rdx") third,
            in("r10") fourth, in("r8") fifth, in("r9") sixth,
            lateout("rcx") _, lateout("r11") _,
            options(nostack)
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: what the call does is up to the caller (`# Safety`); the kernel changes no register
    // but that of the result, and nothing on the stack.
    unsafe {
        std::arch::asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") first as isize => result,
            in("x1") second, in("x2") third, in("x3") fourth, in("x4") fifth, in("x5") sixth,
            options(nostack)
        );
    }
    result
}

static NANOSLEEP: CFunction = CFunction::new(c"nanosleep");
static CLOCK_NANOSLEEP: CFunction = CFunction::new(c"clock_nanosleep");

type Nanosleep = unsafe extern "C" fn(*const c_void, *mut c_void) -> c_int;
type ClockNanosleep = unsafe extern "C" fn(c_int, c_int, *const c_void, *mut c_void) -> c_int;

/// Sleeps.
///
/// # Safety
/// As nanosleep(2).
#[no_mangle]
pub unsafe extern "C" fn nanosleep(time: *const c_void, left: *mut c_void) -> c_int {
    // SAFETY: the address is that of the C library's function of this name, whose type this is.
    let sleep = unsafe { std::mem::transmute::<*mut c_void, Nanosleep>(NANOSLEEP.address()) };
    // SAFETY: the arguments are as nanosleep(2) wants them (`# Safety`), and go on unchanged.
    asleep(|| unsafe { sleep(time, left) })
}

/// Sleeps by a clock.
///
/// # Safety
/// As clock_nanosleep(2).
#[no_mangle]
pub unsafe extern "C" fn clock_nanosleep(
    clock: c_int,
    flags: c_int,
    time: *const c_void,
    left: *mut c_void,
) -> c_int {
    let address = CLOCK_NANOSLEEP.address();
    // SAFETY: the address is that of the C library's function of this name, whose type this is.
    let sleep = unsafe { std::mem::transmute::<*mut c_void, ClockNanosleep>(address) };
    // SAFETY: the arguments are as clock_nanosleep(2) wants them (`# Safety`), and go on unchanged.
    asleep(|| unsafe { sleep(clock, flags, time, left) })
}

fn asleep(sleep: impl FnOnce() -> c_int) -> c_int {
    let wait = keeping_errno(|| Wait::begin(SLEEP, Until::Moment));
    let result = sleep();
    if let Some(wait) = wait {
        keeping_errno(|| wait.end(End::Other));
    }
    result
}
