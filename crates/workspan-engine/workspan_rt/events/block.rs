//! Parts of a task's path that the record can fold.

use crate::path::beginning::{Beginning, NOWHERE};
use crate::path::frame::Frame;
use crate::record::Figures;
use crate::thread::Thread;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// What a task does from some point of its path on, together with the tasks or parts it makes
/// there, up to where it waits for all of them. By then it is one piece of the task's own path,
/// which the record folds if the task's thread ran all of it.
pub(super) struct Block {
    begin: Beginning,
    home: *const Thread,
    frame: *const (),
    /// Node of the construct with which the block begins.
    node: u32,
    /// How many of the tasks and parts are not, or not yet, entirely in the record of `home`.
    elsewhere: Arc<AtomicUsize>,
}

// SAFETY: `home` and `frame` are only compared, never followed; every other field is `Send`.
unsafe impl Send for Block {}
// SAFETY: `home` and `frame` are only compared, and `elsewhere` is atomic; the rest changes only
// through `&mut`.
unsafe impl Sync for Block {}

impl Block {
    /// A block in which nothing has been made yet.
    pub(super) fn new() -> Self {
        Self {
            begin: NOWHERE,
            home: ptr::null(),
            frame: ptr::null(),
            node: 0,
            elsewhere: Arc::default(),
        }
    }

    pub(super) fn node(&self) -> u32 {
        self.node
    }

    pub(super) fn has_begun(&self) -> bool {
        self.begin.position != 0
    }

    /// The block begins with the next entry of the record of `thread`: a construct of `node` in
    /// `frame`.
    pub(super) fn begin(&mut self, thread: &Thread, frame: &Frame, node: u32) {
        self.begin = Beginning::at(thread.record_position(), frame);
        (self.home, self.frame, self.node) = (thread, frame.identity(), node);
    }

    /// Where it begins in the record of `thread`; 0 if not there.
    pub(super) fn position_on(&self, thread: &Thread) -> u64 {
        if ptr::eq(self.home, thread) {
            self.begin.position
        } else {
            0
        }
    }

    /// What a task or part that the block's thread makes in it has to know: the count of those
    /// elsewhere, and where the block begins.
    pub(super) fn around(&self) -> (Arc<AtomicUsize>, u64) {
        (self.elsewhere.clone(), self.begin.position)
    }

    /// Something in the block involves others than the block: it is not folded.
    pub(super) fn add_elsewhere(&self) {
        // Relaxed: the tasks and parts made in the block order whoever changes it with the task's
        // thread.
        self.elsewhere.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn take_elsewhere(&self) {
        self.elsewhere.fetch_sub(1, Ordering::Relaxed);
    }

    /// Is all of the block, which has ended, in the record of `thread`?
    pub(super) fn is_all_of(&self, thread: &Thread) -> bool {
        let is_here = !self.has_begun() || ptr::eq(self.home, thread);
        is_here && self.elsewhere.load(Ordering::Relaxed) == 0
    }

    /// Folds the block, all of which is in the record of `thread`; the path of `frame` continues
    /// after it. `more`: how many tasks were made in it that the frame has not counted. Returns
    /// whether it was folded.
    pub(super) fn fold(&self, thread: &Thread, frame: &Frame, more: u32) -> bool {
        let is_frame = ptr::eq(self.frame, frame.identity());
        self.has_begun() && is_frame && {
            let mut figures: Figures = self.begin.since(frame);
            figures.tasks += more;
            thread.record_folded(&self.begin, frame.node, self.node, figures)
        }
    }

    /// The block has ended; the next one begins with the next task made.
    pub(super) fn end(&mut self) {
        self.begin = NOWHERE;
        if self.elsewhere.load(Ordering::Relaxed) != 0 {
            self.elsewhere = Arc::default();
        }
    }
}
