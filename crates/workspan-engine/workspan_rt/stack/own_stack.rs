//! The calling thread's stack.
//!
//! Stacks grow downwards. The *start* of the stack is its lowest address, its *end* the one after
//! its highest. The *top* is where it is filled to: the value of the stack pointer. A task's *base*
//! is the address at which the task began on the thread, above the top. A *limit* is the address up
//! to which what lies above the top may be read.

use std::cell::Cell;
use std::ptr;

thread_local! {
    /// The bounds of the thread's stack, once they were asked for. They are asked for only once,
    /// since for the first thread the C library reads them from a list of all mappings.
    static BOUNDS: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
}

fn bounds() -> (usize, usize) {
    let bounds = BOUNDS.get().unwrap_or_else(ask);
    BOUNDS.set(Some(bounds));
    bounds
}

/// An address at the end of the calling thread's stack, 0 if unknown.
pub(crate) fn own_stack_end() -> usize {
    bounds().1
}

/// `base`, if both it and the top of the stack lie on the calling thread's own stack, so that what
/// is between them may be read. Else 0: one of them is on the stack of a coroutine, or the bounds
/// of the stack are unknown (those of the main thread, without `/proc`).
pub(crate) fn own_stack_limit(top: usize, base: usize) -> usize {
    let (low, high) = bounds();
    if low <= top && base <= high {
        base
    } else {
        0
    }
}

/// The lowest address of the calling thread's stack, and the one after its highest; both 0 if
/// unknown.
pub(crate) fn own_stack() -> (usize, usize) {
    bounds()
}

/// Asks the C library, which may allocate.
fn ask() -> (usize, usize) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        use std::ffi::{c_int, c_void};
        // pthread_attr_t is 56 bytes on x86-64 and 64 on aarch64, and holds longs.
        #[repr(C, align(16))]
        struct Attributes([u8; 256]);
        extern "C" {
            fn pthread_self() -> usize;
            fn pthread_getattr_np(thread: usize, attributes: *mut Attributes) -> c_int;
            fn pthread_attr_getstack(
                attributes: *const Attributes,
                start: *mut *mut c_void,
                size: *mut usize,
            ) -> c_int;
            fn pthread_attr_destroy(attributes: *mut Attributes) -> c_int;
        }
        let mut attributes = Attributes([0; 256]);
        let (mut start, mut size) = (ptr::null_mut(), 0);
        // SAFETY: the buffer is larger than the C library's type, and is read and destroyed only
        // after it was filled; the calls write nothing but what is passed, which outlives them.
        unsafe {
            if pthread_getattr_np(pthread_self(), &mut attributes) != 0 {
                return (0, 0);
            }
            let failed = pthread_attr_getstack(&attributes, &mut start, &mut size) != 0;
            pthread_attr_destroy(&mut attributes);
            if failed {
                (0, 0)
            } else {
                (start as usize, start as usize + size)
            }
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    (0, 0)
}
