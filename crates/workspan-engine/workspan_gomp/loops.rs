//! Loops and sections that threads of a region share: each part, and each chunk of it.

use std::ffi::{c_int, c_long, c_uint, c_ulonglong, c_void};
use std::ptr;

use crate::abi::{endpoint, sync_region, work};
use crate::waits::around;
use crate::{place, tool};

/// `ompt_dispatch_iteration` and `ompt_dispatch_section`.
const ITERATION: c_int = 1;
const SECTION: c_int = 2;

/// The calling thread comes to its part of a construct, of which `next` gives it the first piece, if any.
fn begin<R: Copy + PartialEq + Default>(
    kind: c_int,
    code: *const c_void,
    next: impl FnOnce() -> R,
) -> R {
    if !tool::is_on() {
        return next();
    }
    let place = place::current();
    let region = place::region_of(place);
    tell! { WORK: Work(kind, endpoint::BEGIN, region, place.cast(), 0, code) }
    piece(kind, next)
}

/// The thread asks for another piece.
fn piece<R: Copy + PartialEq + Default>(kind: c_int, next: impl FnOnce() -> R) -> R {
    let piece = next();
    if tool::is_on() && piece != R::default() {
        let place = place::current();
        let kind = match kind {
            work::SECTIONS => SECTION,
            _ => ITERATION,
        };
        let region = place::region_of(place);
        tell! { DISPATCH: Dispatch(region, place.cast(), kind, ptr::null_mut()) }
    }
    piece
}

/// The thread is done with its part.
fn end(kind: c_int, code: *const c_void) {
    if tool::is_on() {
        let place = place::current();
        let region = place::region_of(place);
        tell! { WORK: Work(kind, endpoint::END, region, place.cast(), 0, code) }
    }
}

/// Functions by which a thread begins its part of a loop.
macro_rules! starts {
    ($($name:ident, $kind:ident, ($($argument:ident: $type:ty),*);)*) => {$(
        /// # Safety
        /// For code that gcc compiles.
        #[no_mangle]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> bool {
            let next = next!($name: unsafe extern "C" fn($($type),*) -> bool);
            // SAFETY: what gcc's code passes goes on.
            begin(work::$kind, caller!(), || unsafe { next($($argument),*) })
        }
    )*};
}

/// Functions by which it gets another piece.
macro_rules! pieces {
    ($($name:ident),*: $bound:ty) => {$(
        /// # Safety
        /// For code that gcc compiles.
        #[no_mangle]
        pub unsafe extern "C" fn $name(start: *mut $bound, end: *mut $bound) -> bool {
            let next = next!($name: unsafe extern "C" fn(*mut $bound, *mut $bound) -> bool);
            // SAFETY: what gcc's code passes goes on.
            piece(work::LOOP, || unsafe { next(start, end) })
        }
    )*};
}

/// Functions by which it ends its part, and waits for the others'.
macro_rules! ends {
    ($($name:ident, $kind:ident, $result:ty;)*) => {$(
        /// # Safety
        /// For code that gcc compiles.
        #[no_mangle]
        pub unsafe extern "C" fn $name() -> $result {
            let next = next!($name: unsafe extern "C" fn() -> $result);
            let code = caller!();
            end(work::$kind, code);
            // SAFETY: the function has no conditions.
            around(sync_region::BARRIER_IMPLICIT_WORKSHARE, code, || unsafe { next() })
        }
    )*};
}

type Long = *mut c_long;
type Ull = c_ulonglong;
type UllBound = *mut c_ulonglong;

starts! {
    GOMP_loop_static_start, LOOP_STATIC, (a: c_long, b: c_long, c: c_long, d: c_long, e: Long, f: Long);
    GOMP_loop_dynamic_start, LOOP_DYNAMIC, (a: c_long, b: c_long, c: c_long, d: c_long, e: Long, f: Long);
    GOMP_loop_guided_start, LOOP_GUIDED, (a: c_long, b: c_long, c: c_long, d: c_long, e: Long, f: Long);
    GOMP_loop_runtime_start, LOOP_OTHER, (a: c_long, b: c_long, c: c_long, e: Long, f: Long);
    GOMP_loop_nonmonotonic_dynamic_start, LOOP_DYNAMIC, (a: c_long, b: c_long, c: c_long, d: c_long, e: Long, f: Long);
    GOMP_loop_nonmonotonic_guided_start, LOOP_GUIDED, (a: c_long, b: c_long, c: c_long, d: c_long, e: Long, f: Long);
    GOMP_loop_nonmonotonic_runtime_start, LOOP_OTHER, (a: c_long, b: c_long, c: c_long, e: Long, f: Long);
    GOMP_loop_maybe_nonmonotonic_runtime_start, LOOP_OTHER, (a: c_long, b: c_long, c: c_long, e: Long, f: Long);
    GOMP_loop_ordered_static_start, LOOP_STATIC, (a: c_long, b: c_long, c: c_long, d: c_long, e: Long, f: Long);
    GOMP_loop_ordered_dynamic_start, LOOP_DYNAMIC, (a: c_long, b: c_long, c: c_long, d: c_long, e: Long, f: Long);
    GOMP_loop_ordered_guided_start, LOOP_GUIDED, (a: c_long, b: c_long, c: c_long, d: c_long, e: Long, f: Long);
    GOMP_loop_ordered_runtime_start, LOOP_OTHER, (a: c_long, b: c_long, c: c_long, e: Long, f: Long);
    GOMP_loop_ull_static_start, LOOP_STATIC, (up: bool, a: Ull, b: Ull, c: Ull, d: Ull, e: UllBound, f: UllBound);
    GOMP_loop_ull_dynamic_start, LOOP_DYNAMIC, (up: bool, a: Ull, b: Ull, c: Ull, d: Ull, e: UllBound, f: UllBound);
    GOMP_loop_ull_guided_start, LOOP_GUIDED, (up: bool, a: Ull, b: Ull, c: Ull, d: Ull, e: UllBound, f: UllBound);
    GOMP_loop_ull_runtime_start, LOOP_OTHER, (up: bool, a: Ull, b: Ull, c: Ull, e: UllBound, f: UllBound);
    GOMP_loop_ull_nonmonotonic_dynamic_start, LOOP_DYNAMIC, (up: bool, a: Ull, b: Ull, c: Ull, d: Ull, e: UllBound, f: UllBound);
    GOMP_loop_ull_nonmonotonic_guided_start, LOOP_GUIDED, (up: bool, a: Ull, b: Ull, c: Ull, d: Ull, e: UllBound, f: UllBound);
    GOMP_loop_ull_nonmonotonic_runtime_start, LOOP_OTHER, (up: bool, a: Ull, b: Ull, c: Ull, e: UllBound, f: UllBound);
    GOMP_loop_ull_maybe_nonmonotonic_runtime_start, LOOP_OTHER, (up: bool, a: Ull, b: Ull, c: Ull, e: UllBound, f: UllBound);
    GOMP_loop_ull_ordered_static_start, LOOP_STATIC, (up: bool, a: Ull, b: Ull, c: Ull, d: Ull, e: UllBound, f: UllBound);
    GOMP_loop_ull_ordered_dynamic_start, LOOP_DYNAMIC, (up: bool, a: Ull, b: Ull, c: Ull, d: Ull, e: UllBound, f: UllBound);
    GOMP_loop_ull_ordered_guided_start, LOOP_GUIDED, (up: bool, a: Ull, b: Ull, c: Ull, d: Ull, e: UllBound, f: UllBound);
    GOMP_loop_ull_ordered_runtime_start, LOOP_OTHER, (up: bool, a: Ull, b: Ull, c: Ull, e: UllBound, f: UllBound);
}

pieces! {
    GOMP_loop_static_next, GOMP_loop_dynamic_next, GOMP_loop_guided_next, GOMP_loop_runtime_next,
    GOMP_loop_nonmonotonic_dynamic_next, GOMP_loop_nonmonotonic_guided_next,
    GOMP_loop_nonmonotonic_runtime_next, GOMP_loop_maybe_nonmonotonic_runtime_next,
    GOMP_loop_ordered_static_next, GOMP_loop_ordered_dynamic_next, GOMP_loop_ordered_guided_next,
    GOMP_loop_ordered_runtime_next: c_long
}

pieces! {
    GOMP_loop_ull_static_next, GOMP_loop_ull_dynamic_next, GOMP_loop_ull_guided_next,
    GOMP_loop_ull_runtime_next, GOMP_loop_ull_nonmonotonic_dynamic_next,
    GOMP_loop_ull_nonmonotonic_guided_next, GOMP_loop_ull_nonmonotonic_runtime_next,
    GOMP_loop_ull_maybe_nonmonotonic_runtime_next, GOMP_loop_ull_ordered_static_next,
    GOMP_loop_ull_ordered_dynamic_next, GOMP_loop_ull_ordered_guided_next,
    GOMP_loop_ull_ordered_runtime_next: c_ulonglong
}

ends! {
    GOMP_loop_end, LOOP, ();
    GOMP_loop_end_cancel, LOOP, bool;
    GOMP_sections_end, SECTIONS, ();
    GOMP_sections_end_cancel, SECTIONS, bool;
}

/// # Safety
/// For code that gcc compiles.
#[no_mangle]
pub unsafe extern "C" fn GOMP_loop_end_nowait() {
    end(work::LOOP, caller!());
    let next = next!(GOMP_loop_end_nowait: unsafe extern "C" fn());
    // SAFETY: the function has no conditions.
    unsafe { next() }
}

/// # Safety
/// For code that gcc compiles.
#[no_mangle]
pub unsafe extern "C" fn GOMP_sections_end_nowait() {
    end(work::SECTIONS, caller!());
    let next = next!(GOMP_sections_end_nowait: unsafe extern "C" fn());
    // SAFETY: the function has no conditions.
    unsafe { next() }
}

/// # Safety
/// For code that gcc compiles.
#[no_mangle]
pub unsafe extern "C" fn GOMP_sections_start(count: c_uint) -> c_uint {
    let next = next!(GOMP_sections_start: unsafe extern "C" fn(c_uint) -> c_uint);
    // SAFETY: what gcc's code passes goes on.
    begin(work::SECTIONS, caller!(), || unsafe { next(count) })
}

/// # Safety
/// For code that gcc compiles.
#[no_mangle]
pub unsafe extern "C" fn GOMP_sections2_start(
    count: c_uint,
    reductions: *mut usize,
    memory: *mut *mut c_void,
) -> c_uint {
    type Function = unsafe extern "C" fn(c_uint, *mut usize, *mut *mut c_void) -> c_uint;
    let next = next!(GOMP_sections2_start: Function);
    // SAFETY: what gcc's code passes goes on.
    begin(work::SECTIONS, caller!(), || unsafe {
        next(count, reductions, memory)
    })
}

/// # Safety
/// For code that gcc compiles.
#[no_mangle]
pub unsafe extern "C" fn GOMP_sections_next() -> c_uint {
    let next = next!(GOMP_sections_next: unsafe extern "C" fn() -> c_uint);
    // SAFETY: the function has no conditions.
    piece(work::SECTIONS, || unsafe { next() })
}
