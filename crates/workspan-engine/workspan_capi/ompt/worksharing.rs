//! A worksharing construct in one implicit task: a loop or sections.

use workspan_rt::events::{Construct, Loop, Task};

use super::region::Region;

/// A construct that is being executed. Its pieces are parallel to one another.
///
/// Each implicit task has a share: the pieces that its thread gets. The longest piece of all counts at the barrier that
/// follows. A runtime that does not tell of pieces leaves one for each implicit task.
pub(super) struct Worksharing {
    construct: Loop,
    piece: Task,
    told_of_pieces: bool,
}

impl Worksharing {
    /// `task`, which the calling thread runs, comes upon a construct, its `number`th in the region.
    pub fn begin(
        task: &Task,
        region: Option<&Region>,
        number: usize,
        construct: &Construct<'_>,
    ) -> Option<Self> {
        let construct = match region {
            Some(region) => region.begin_share(task, number, construct),
            None => Loop::begin(task, construct),
        }?;
        let piece = construct.piece();
        piece.enter();
        Some(Self {
            construct,
            piece,
            told_of_pieces: false,
        })
    }

    /// The thread gets a piece.
    pub fn next_piece(&mut self) {
        if self.told_of_pieces {
            self.piece.end();
            self.piece = self.construct.piece();
            self.piece.enter();
        }
        self.told_of_pieces = true;
    }

    /// The piece that is being executed.
    pub fn piece(&self) -> &Task {
        &self.piece
    }

    /// There are no more pieces for the thread.
    pub fn end(self) {
        self.piece.end();
        self.construct.end();
    }
}
