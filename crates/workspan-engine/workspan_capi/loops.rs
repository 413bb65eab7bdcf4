//! Parallel loops.

use crate::handles::Handle;
use crate::nest::{self, Ended, Inside};
use crate::running_loop::RunningLoop;
use crate::site::{running, Shown, Site};
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use workspan_rt::events::Loop;
use workspan_rt::Kind;

/// The loop of a handle, of which a piece is about to begin. None if it has ended, which is reported.
///
/// # Safety
/// `of` is null, or from [`workspan_loop_begin`], and the loop does not end during the call.
pub(crate) unsafe fn of_c(of: *const c_void) -> Option<(Handle<RunningLoop>, Arc<RunningLoop>)> {
    // SAFETY: `of` is null, or from `workspan_loop_begin`, which gives handles of this type
    // (`# Safety`).
    let handle = unsafe { Handle::of_c(of) }?;
    let Some(running) = handle.get() else {
        let site = Shown(handle.site());
        nest::misfit(
            &format_args!("a piece of the loop of {site}, which has ended, begins"),
            "it is left out",
        );
        return None;
    };
    // SAFETY: the handle was not given back, and is not meanwhile (`# Safety`), so the count that
    // it has keeps the loop alive until another is added, which is the one that is taken.
    let running = unsafe {
        Arc::increment_strong_count(running);
        Arc::from_raw(running)
    };
    Some((handle, running))
}

/// A parallel loop of the running task. Null with the engine off.
///
/// # Safety
/// `site` is null, or a site that lives as long as the program, as [`Site::construct`] has it.
#[no_mangle]
pub unsafe extern "C" fn workspan_loop_begin(site: *const Site) -> *const c_void {
    let Some(task) = running() else {
        return ptr::null();
    };
    // SAFETY: `site` is null, or a site that lives as long as the program (`# Safety`).
    let begun =
        unsafe { Site::construct(site, Kind::Loop, |construct| Loop::begin(&task, construct)) };
    begun.map_or(ptr::null(), |pieces| {
        let running = Arc::new(RunningLoop::new(pieces));
        Handle::give(Arc::into_raw(running), site).to_c()
    })
}

/// The calling thread runs a piece of the loop from here on.
///
/// # Safety
/// `of` is null, or from [`workspan_loop_begin`], and the loop does not end during the call.
#[no_mangle]
pub unsafe extern "C" fn workspan_loop_piece_begin(of: *const c_void) {
    // SAFETY: `of` is null, or from `workspan_loop_begin`, and does not end meanwhile (`# Safety`).
    if let Some((handle, running)) = unsafe { of_c(of) } {
        let piece = running.begin_piece();
        nest::begin(Inside::Piece(handle, piece, running));
    }
}

/// The piece has ended; the calling thread goes on with what it did before.
///
/// # Safety
/// `of` is null, or from [`workspan_loop_begin`].
#[no_mangle]
pub unsafe extern "C" fn workspan_loop_piece_end(of: *const c_void) {
    // SAFETY: `of` is null, or from `workspan_loop_begin`, which gives handles of this type
    // (`# Safety`).
    if let Some(handle) = unsafe { Handle::of_c(of) } {
        nest::end(Ended::Piece(handle));
    }
}

/// All pieces have ended: the task that began the loop goes on, on the calling thread. A piece that this thread still runs ends,
/// too.
///
/// # Safety
/// `of` is null, or from [`workspan_loop_begin`].
#[no_mangle]
pub unsafe extern "C" fn workspan_loop_end(of: *const c_void) {
    // SAFETY: `of` is null, or from `workspan_loop_begin`, which gives handles of this type
    // (`# Safety`).
    let Some(handle) = (unsafe { Handle::<RunningLoop>::of_c(of) }) else {
        return;
    };
    let site = Shown(handle.site());
    while nest::is_open(Ended::Piece(handle)) {
        nest::misfit(&format_args!("the loop of {site} ends"), "that ends, too");
        nest::end(Ended::Piece(handle));
    }
    let Some(running) = handle.take() else {
        let what = format_args!("the loop of {site}, which has ended before, ends");
        return nest::misfit(&what, "nothing ends");
    };
    // SAFETY: a handle can be taken once, so this is the one count that it had, by `Arc::into_raw`
    // (`workspan_loop_begin`).
    let running = unsafe { Arc::from_raw(running) };
    if running.has_open_pieces() {
        let what = format_args!("the loop of {site}, of which another thread runs a piece, ends");
        nest::misfit(&what, "that piece counts as work, and nobody awaits it");
    }
    running.pieces.end();
}
