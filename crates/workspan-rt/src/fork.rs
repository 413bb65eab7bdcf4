//! Two branches that are both awaited.

use crate::call::Call;
use crate::frame::Frame;
use crate::session;
use crate::thread::{with, Thread};
use std::cell::UnsafeCell;
use std::ptr;

/// The account of one fork: a frame for each branch, on the stack of the function that forks. No allocation.
///
/// Three clock reads when nothing is stolen: the fork's beginning is the left branch's, the left branch's end
/// is the right one's beginning, and the right one's end is the continuation's beginning.
pub struct Fork {
    parent: *mut Frame,
    thread: *const Thread,
    top: bool,
    left: UnsafeCell<Frame>,
    right: UnsafeCell<Frame>,
}

// SAFETY: each branch's frame is touched by the one thread that runs the branch; the parent's frame, which is
// blocked meanwhile, is only read; and the runtime's latch orders the branches before the fork's end.
unsafe impl Sync for Fork {}

/// Which boundary of a fork: with the fork's address, the token of that boundary.
#[derive(Clone, Copy)]
#[repr(usize)]
enum Boundary {
    Begin = 1,
    LeftEnd = 2,
    RightEnd = 3,
}

impl Fork {
    /// Ends the running strand, lets `execute` run the two branches through [`Fork::left`] and
    /// [`Fork::right`], each exactly once, and continues after the longer one. With the engine off, `execute`
    /// gets no fork.
    ///
    /// # Panics
    /// When `execute` does; the account is closed all the same.
    #[inline(always)]
    pub fn run<R>(call: Call, execute: impl FnOnce(Option<&Fork>) -> R) -> R {
        match Self::begin(&call) {
            Some(fork) => {
                let end = End(&fork);
                fork.mark_begin();
                let result = execute(Some(&fork));
                drop(end);
                result
            }
            None => execute(None),
        }
    }

    #[inline(always)]
    fn begin(call: &Call) -> Option<Self> {
        with(|thread| {
            thread.end_strand(session::boundary_cost());
            let parent = thread.frame();
            // SAFETY: the present frame of this thread; from here to `end` it is blocked.
            let edge = thread.enter(unsafe { (*parent).node }, call);
            thread.table.cell(edge.node).count.add(1);
            // SAFETY: the parent is blocked until both branches have ended (`End`).
            let (left, right) = unsafe {
                (
                    Frame::after(parent, edge.node, 0),
                    Frame::after(parent, edge.node, session::burden()),
                )
            };
            Self {
                parent,
                thread,
                top: edge.top,
                left: UnsafeCell::new(left),
                right: UnsafeCell::new(right),
            }
        })
    }

    /// The fork has its final address only now.
    #[inline(always)]
    fn mark_begin(&self) {
        // SAFETY: `begin` has run on this thread, and the data of a thread is never freed.
        unsafe { (*self.thread).token.set(self.token(Boundary::Begin)) };
    }

    #[inline(always)]
    fn token(&self, boundary: Boundary) -> usize {
        // Branches' frames hold pointers: the lowest two bits of the address are free.
        ptr::from_ref(self) as usize | boundary as usize
    }

    /// Runs the left branch: the one that the forking thread goes on with.
    #[inline(always)]
    pub fn left<R>(&self, branch: impl FnOnce() -> R) -> R {
        let end = self.enter(&self.left, Boundary::Begin, Boundary::LeftEnd);
        let result = branch();
        drop(end);
        result
    }

    /// Runs the right branch: the one that is offered to other threads.
    #[inline(always)]
    pub fn right<R>(&self, branch: impl FnOnce() -> R) -> R {
        let end = self.enter(&self.right, Boundary::LeftEnd, Boundary::RightEnd);
        let result = branch();
        drop(end);
        result
    }

    #[inline(always)]
    fn enter<'a>(
        &'a self,
        frame: &'a UnsafeCell<Frame>,
        before: Boundary,
        after: Boundary,
    ) -> BranchEnd<'a> {
        let base = 0_usize;
        let saved = with(|thread| {
            thread.start_strand(self.token(before));
            if !ptr::eq(thread, self.thread) && matches!(after, Boundary::RightEnd) {
                // SAFETY: written before the fork, read-only since.
                thread
                    .table
                    .cell(unsafe { (*frame.get()).node })
                    .stolen
                    .add(1);
            }
            thread.adopt(frame.get(), ptr::from_ref(&base) as usize)
        });
        BranchEnd {
            fork: self,
            boundary: after,
            saved,
        }
    }

    #[inline(always)]
    fn end(&self) {
        with(|thread| {
            thread.start_strand(self.token(Boundary::RightEnd));
            // SAFETY: both branches have ended, so this thread has the parent and the branches to itself; the
            // runtime's latch ordered what the branches wrote before this.
            let (parent, left, right) = unsafe {
                (
                    &mut *self.parent,
                    &mut *self.left.get(),
                    &mut *self.right.get(),
                )
            };
            let before = parent.depth;
            let burdened = left.burdened.max(right.burdened);
            let node = left.node;
            parent.continue_after(if right.depth > left.depth {
                right
            } else {
                left
            });
            parent.burdened = burdened;
            if self.top {
                let cell = thread.table.cell(node);
                cell.top_count.add(1);
                cell.top_span.add(parent.depth - before);
            }
        });
    }
}

/// Ends a branch, also when it unwinds.
struct BranchEnd<'a> {
    fork: &'a Fork,
    boundary: Boundary,
    saved: Option<(*mut Frame, usize)>,
}

impl Drop for BranchEnd<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(saved) = self.saved {
            with(|thread| {
                thread.end_strand(session::boundary_cost());
                thread.restore(saved);
                thread.token.set(self.fork.token(self.boundary));
            });
        }
    }
}

/// Ends a fork, also when it unwinds: the runtime has both branches ended before it passes a panic on.
struct End<'a>(&'a Fork);

impl Drop for End<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.end();
    }
}
