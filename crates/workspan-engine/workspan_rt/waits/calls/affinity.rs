//! The functions of the C library by which a program restricts its threads to some processors.
//!
//! What the program sees of them stays as it is: results and `errno`. As a child of fork(2) may call
//! them, where dlsym(3) may not be, they are looked up before `main`.

use super::keeping_errno;
use crate::system::c_function::CFunction;
use crate::system::processors;
use crate::waits::note_restriction;
use std::ffi::{c_int, c_ulong, c_void};
use std::mem::transmute;
use std::slice;

/// Defines functions that stand before the C library's of these names, whose first argument, of this
/// type, says which thread, and the others which processors it may run on.
macro_rules! restricting {
    ($($name:ident, $symbol:literal, $thread:ty;)+) => {
        #[allow(non_upper_case_globals)]
        mod next {
            use super::CFunction;

            $(pub(super) static $name: CFunction = CFunction::new($symbol);)+
        }

        /// Looks up the C library's functions.
        pub(super) fn look_up() {
            $(next::$name.find();)+
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
                // SAFETY: the arguments are as the function wants them (`# Safety`), and go on
                // unchanged.
                let result = unsafe { function(thread, length, mask) };
                // SAFETY: the mask has so many bytes (`# Safety`); of none, the call fails.
                if result == 0 && unsafe { restricts(length, mask) } {
                    keeping_errno(note_restriction);
                }
                result
            }
        )+
    };
}

restricting! {
    sched_setaffinity, c"sched_setaffinity", c_int;
    pthread_setaffinity_np, c"pthread_setaffinity_np", c_ulong;
}

/// Whether a mask leaves certainly fewer processors than the process had: it may name some that the
/// machine lacks.
///
/// # Safety
/// `mask` points to so many bytes.
unsafe fn restricts(length: usize, mask: *const c_void) -> bool {
    // SAFETY: as the caller says.
    let bytes = unsafe { slice::from_raw_parts(mask.cast::<u8>(), length) };
    let allowed: u32 = bytes.iter().map(|byte| byte.count_ones()).sum();
    i64::from(allowed) < processors::allowed_at_start()
}
