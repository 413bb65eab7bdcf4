//! The functions of the C library by which a program restricts its threads to some processors.
//!
//! A call counts if it leaves a thread of this process fewer processors than it had, by the kernel's
//! account: only that shows which part of the mask the kernel reads, and which processors in it the
//! machine lacks.
//!
//! Calls through `syscall` do not count. By these, LLVM's OpenMP runtime binds the main thread to one
//! processor after another, to see what it has, at the program's first parallel region.
//!
//! What the program sees of them stays as it is: results and `errno`. As a child of fork(2) may call
//! them, where dlsym(3) may not be, they are looked up before `main`.

use super::keeping_errno;
use crate::state::process::process;
use crate::system::c_function::CFunction;
use crate::system::kernel_thread;
use crate::system::processors::{mask_from, mask_of, processors_in, Mask};
use crate::waits::note_restriction;
use std::ffi::{c_int, c_ulong, c_void};
use std::mem::transmute;

/// Defines functions that stand before the C library's of these names, whose first argument, of this
/// type, says which thread, and the others which processors it may run on; the function at the end
/// tells which these are.
macro_rules! restricting {
    ($($name:ident, $symbol:literal, $thread:ty, $mask_of:ident;)+) => {
        #[allow(non_upper_case_globals)]
        mod next {
            use super::CFunction;

            $(pub(super) static $name: CFunction = CFunction::new($symbol);)+
        }

        /// Looks up the C library's functions.
        pub(super) fn look_up() {
            $(next::$name.find();)+
            PTHREAD_GETAFFINITY_NP.find();
        }

        $(
            #[doc = concat!("Calls the C library's `", stringify!($name), "`.")]
            ///
            /// # Safety
            /// As that function.
            #[no_mangle]
            pub unsafe extern "C" fn $name(
                thread: $thread,
                length: usize,
                mask: *const c_void,
            ) -> c_int {
                type Function = unsafe extern "C" fn($thread, usize, *const c_void) -> c_int;
                // SAFETY: the address is that of the C library's function of this name, whose type
                // this is.
                let function = unsafe { transmute::<*mut c_void, Function>(next::$name.address()) };
                // SAFETY: the thread is one that the function accepts (`# Safety`).
                let mask_of = || keeping_errno(|| unsafe { $mask_of(thread) });
                let allowed = || mask_of().map(|mask| processors_in(&mask));
                let before = allowed();
                // SAFETY: the arguments are as the function wants them (`# Safety`), and go on
                // unchanged.
                let result = unsafe { function(thread, length, mask) };
                if result == 0 && before.zip(allowed()).is_some_and(|(before, now)| now < before) {
                    keeping_errno(note_restriction);
                }
                result
            }
        )+
    };
}

restricting! {
    sched_setaffinity, c"sched_setaffinity", c_int, by_number;
    pthread_setaffinity_np, c"pthread_setaffinity_np", c_ulong, by_handle;
}

/// The processors of the thread with this number, if it is one of the session's process. 0 stands for
/// the calling one, which may be a child that shares this memory (vfork(2)).
///
/// # Safety
/// Any number will do.
unsafe fn by_number(thread: c_int) -> Option<Mask> {
    let number = match thread {
        0 => kernel_thread::own_number(),
        number => number,
    };
    // A child of a fork has other numbers, even where it shares the memory.
    kernel_thread::is_of(process(), number).then(|| mask_of(number))?
}

static PTHREAD_GETAFFINITY_NP: CFunction = CFunction::new(c"pthread_getaffinity_np");

/// The processors of this thread.
///
/// # Safety
/// It has not been joined, nor ended detached.
unsafe fn by_handle(thread: c_ulong) -> Option<Mask> {
    type Function = unsafe extern "C" fn(c_ulong, usize, *mut Mask) -> c_int;
    let address = PTHREAD_GETAFFINITY_NP.find()?.as_ptr();
    // SAFETY: the address is that of the C library's function of this name, whose type this is.
    let function = unsafe { transmute::<*mut c_void, Function>(address) };
    // SAFETY: the thread is one that the function accepts (`# Safety`), which writes no more of the mask
    // than the length it is given.
    mask_from(|mask| unsafe { function(thread, size_of::<Mask>(), mask) })
}
