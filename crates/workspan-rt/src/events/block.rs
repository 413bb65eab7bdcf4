//! Constructs that the record can fold.

use crate::frame::Frame;
use crate::record::{Beginning, Figures, NOWHERE};
use crate::thread::Thread;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// What a task does from a point of its path on, together with the tasks or parts that it makes there, up to where it waits
/// for all of them. It is one piece of the task's own path then, which the record folds if the task's thread has run all of it.
pub(super) struct Block {
    begin: Beginning,
    home: *const Thread,
    frame: *const (),
    /// Of the construct with which it begins.
    node: u32,
    /// How many tasks and parts are not, or not yet, told of by the record of `home` alone.
    elsewhere: Arc<AtomicUsize>,
}

// SAFETY: thread and frame are only compared.
unsafe impl Send for Block {}
// SAFETY: as above; all else is `Sync` or changed by the task's thread alone, which has `&mut`.
unsafe impl Sync for Block {}

impl Block {
    /// One in which nothing has been made yet.
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

    /// The next entry of the record of `thread` is the first of the block, which begins with a construct of `node` in `frame`.
    pub(super) fn begin(&mut self, thread: &Thread, frame: &Frame, node: u32) {
        self.begin = Beginning::at(thread.record_position(), frame);
        (self.home, self.frame, self.node) = (thread, frame.identity(), node);
    }

    /// Where it begins in the record of `thread`, 0 if not there.
    pub(super) fn position_on(&self, thread: &Thread) -> u64 {
        if ptr::eq(self.home, thread) {
            self.begin.position
        } else {
            0
        }
    }

    /// What a task or part that is made in it by its thread has to know: how many are elsewhere, and where it begins.
    pub(super) fn around(&self) -> (Arc<AtomicUsize>, u64) {
        (self.elsewhere.clone(), self.begin.position)
    }

    /// Something in it has to do with others than the block: it is not folded.
    pub(super) fn add_elsewhere(&self) {
        // Relaxed: whoever changes it is ordered with the task's thread by what is made in the block.
        self.elsewhere.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn take_elsewhere(&self) {
        self.elsewhere.fetch_sub(1, Ordering::Relaxed);
    }

    /// Does the record of `thread` tell all of it, which has ended?
    pub(super) fn is_all_of(&self, thread: &Thread) -> bool {
        let is_here = !self.has_begun() || ptr::eq(self.home, thread);
        is_here && self.elsewhere.load(Ordering::Relaxed) == 0
    }

    /// Folds the block, all of which the record of `thread` tells, and after which the path of `frame` goes on. `more` tasks
    /// were made than the frame tells of. Says whether it did.
    pub(super) fn fold(&self, thread: &Thread, frame: &Frame, more: u32) -> bool {
        let is_frame = ptr::eq(self.frame, frame.identity());
        self.has_begun() && is_frame && {
            let mut figures: Figures = self.begin.since(frame);
            figures.tasks += more;
            thread.record_folded(&self.begin, frame.node, self.node, figures)
        }
    }

    /// The block has ended; another begins with what is made next.
    pub(super) fn end(&mut self) {
        self.begin = NOWHERE;
        if self.elsewhere.load(Ordering::Relaxed) != 0 {
            self.elsewhere = Arc::default();
        }
    }
}
