//! Parallel loops.

use crate::handles::Handle;
use crate::nest::{self, Ended, Inside};
use crate::site::{running, Shown, Site};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use workspan_rt::events::{Loop, Task};
use workspan_rt::Kind;

/// What is behind a `workspan_loop` of workspan.h.
pub struct Running {
    pub(crate) pieces: Loop,
    /// Pieces that threads run at the moment.
    open: AtomicUsize,
}

impl Running {
    /// A piece, which the calling thread is about to run.
    fn begin_piece(&self) -> Task {
        // Relaxed, as below: the count is told to people alone.
        self.open.fetch_add(1, Ordering::Relaxed);
        self.pieces.piece()
    }

    /// The same piece has ended.
    pub(crate) fn end_piece(&self, piece: &Task) {
        piece.end();
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The loop of a handle, of which a piece is about to begin. None if it has ended, which is reported.
///
/// # Safety
/// `of` is null, or from [`workspan_loop_begin`].
pub(crate) unsafe fn of_c(of: *const c_void) -> Option<(Handle<Running>, Arc<Running>)> {
    // SAFETY: the caller's promise.
    let handle = unsafe { Handle::of_c(of) }?;
    let Some(running) = handle.get() else {
        let site = Shown(handle.site());
        nest::misfit(
            &format_args!("a piece of the loop of {site}, which has ended, begins"),
            "it is left out",
        );
        return None;
    };
    // SAFETY: a handle that was not given back holds one count.
    let running = unsafe {
        Arc::increment_strong_count(running);
        Arc::from_raw(running)
    };
    Some((handle, running))
}

/// A parallel loop of the running task. Null with the engine off.
///
/// # Safety
/// `site` is null or lives as long as the program.
#[no_mangle]
pub unsafe extern "C" fn workspan_loop_begin(site: *const Site) -> *const c_void {
    let Some(task) = running() else {
        return ptr::null();
    };
    // SAFETY: the caller's promise.
    let begun =
        unsafe { Site::construct(site, Kind::Loop, |construct| Loop::begin(&task, construct)) };
    begun.map_or(ptr::null(), |pieces| {
        let running = Arc::new(Running {
            pieces,
            open: AtomicUsize::new(0),
        });
        Handle::give(Arc::into_raw(running), site).to_c()
    })
}

/// The calling thread runs a piece of the loop from here on.
///
/// # Safety
/// `of` is null, or from [`workspan_loop_begin`].
#[no_mangle]
pub unsafe extern "C" fn workspan_loop_piece_begin(of: *const c_void) {
    // SAFETY: the caller's promise.
    if let Some((handle, running)) = unsafe { of_c(of) } {
        let piece = running.begin_piece();
        nest::begin(Inside::Piece(handle, piece, running));
    }
}

/// The piece has ended; the calling thread goes on with what it did before.
///
/// # Safety
/// As [`workspan_loop_piece_begin`].
#[no_mangle]
pub unsafe extern "C" fn workspan_loop_piece_end(of: *const c_void) {
    // SAFETY: the caller's promise.
    if let Some(handle) = unsafe { Handle::of_c(of) } {
        nest::end(Ended::Piece(handle));
    }
}

/// All pieces have ended: the task that began the loop goes on, on the calling thread. A piece that this thread still runs ends,
/// too.
///
/// # Safety
/// As [`workspan_loop_piece_begin`].
#[no_mangle]
pub unsafe extern "C" fn workspan_loop_end(of: *const c_void) {
    // SAFETY: the caller's promise.
    let Some(handle) = (unsafe { Handle::<Running>::of_c(of) }) else {
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
    // SAFETY: the count that the handle held.
    let running = unsafe { Arc::from_raw(running) };
    if running.open.load(Ordering::Relaxed) > 0 {
        let what = format_args!("the loop of {site}, of which another thread runs a piece, ends");
        nest::misfit(&what, "that piece counts as work, and nobody awaits it");
    }
    running.pieces.end();
}
