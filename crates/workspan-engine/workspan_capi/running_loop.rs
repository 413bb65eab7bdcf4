//! A loop that has begun and not ended.

use std::sync::atomic::{AtomicUsize, Ordering};
use workspan_rt::events::{Loop, Task};

/// What is behind a `workspan_loop` of workspan.h.
pub struct RunningLoop {
    pub(crate) pieces: Loop,
    /// Pieces that threads run at the moment.
    open: AtomicUsize,
}

impl RunningLoop {
    pub(crate) fn new(pieces: Loop) -> Self {
        Self {
            pieces,
            open: AtomicUsize::new(0),
        }
    }

    /// A piece, which the calling thread is about to run.
    pub(crate) fn begin_piece(&self) -> Task {
        // Relaxed, as below: the count is told to people alone.
        self.open.fetch_add(1, Ordering::Relaxed);
        self.pieces.piece()
    }

    /// The same piece has ended.
    pub(crate) fn end_piece(&self, piece: &Task) {
        piece.end();
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    /// Does any thread run a piece?
    pub(crate) fn has_open_pieces(&self) -> bool {
        self.open.load(Ordering::Relaxed) > 0
    }
}
