//! Parallel loops.

use crate::nest::{self, Inside, Piece};
use crate::site::{running, Site};
use std::ptr;
use workspan_rt::events::Loop;
use workspan_rt::Kind;

/// `workspan_loop` of workspan.h.
pub struct Running {
    pub(crate) pieces: Loop,
    pub(crate) site: *const Site,
}

/// A parallel loop of the running task. Null with the engine off.
///
/// # Safety
/// `site` is null or lives as long as the program.
#[no_mangle]
pub unsafe extern "C" fn workspan_loop_begin(site: *const Site) -> *mut Running {
    let Some(task) = running() else {
        return ptr::null_mut();
    };
    // SAFETY: the caller's promise.
    let begun =
        unsafe { Site::construct(site, Kind::Loop, |construct| Loop::begin(&task, construct)) };
    begun.map_or(ptr::null_mut(), |pieces| {
        Box::into_raw(Box::new(Running { pieces, site }))
    })
}

/// The calling thread runs a piece of the loop from here on.
///
/// # Safety
/// `of` is null, or a loop that has not ended.
#[no_mangle]
pub unsafe extern "C" fn workspan_loop_piece_begin(of: *const Running) {
    // SAFETY: the caller's promise.
    if let Some(running) = unsafe { of.as_ref() } {
        let piece = running.pieces.piece();
        nest::begin(Inside::Piece(of, Piece::Begun(piece, running.site)));
    }
}

/// The piece has ended; the calling thread goes on with what it did before.
///
/// # Safety
/// As [`workspan_loop_piece_begin`].
#[no_mangle]
pub unsafe extern "C" fn workspan_loop_piece_end(of: *const Running) {
    if !of.is_null() {
        nest::end(&Inside::Piece(of, Piece::Ended));
    }
}

/// All pieces have ended: the task that began the loop goes on, on the calling thread.
///
/// # Safety
/// `of` is null, or a loop that has not ended, which is not used after.
#[no_mangle]
pub unsafe extern "C" fn workspan_loop_end(of: *mut Running) {
    if !of.is_null() {
        // SAFETY: the caller's promise; made by `workspan_loop_begin`.
        unsafe { Box::from_raw(of) }.pieces.end();
    }
}
