//! Two branches that are both awaited.
//!
//! The fast way, when nothing is stolen, is one thread that runs the left branch, the right branch and the
//! continuation with nothing in between. It has three boundaries, each one clock read, and at each the thread
//! already moves on to what comes next there: at the fork to the left branch, at the left branch's end to the
//! right branch, at the right branch's end to the continuation. Whether it really got there is what the thread's
//! token tells: any other boundary in between replaces it. Then the branch or the continuation starts by the
//! slow way, with a clock read of its own.

use crate::call::Call;
use crate::frame::Frame;
use crate::stop;
use crate::thread::{self, with, Saved, Thread};
use std::cell::{Cell, UnsafeCell};
use std::mem::{self, MaybeUninit};
use std::ptr;

/// The account of one fork: a frame for each branch, on the stack of the function that forks. No allocation.
pub struct Fork {
    parent: *mut Frame,
    thread: *const Thread,
    /// Stack address at which the forking task began.
    base: usize,
    top: bool,
    /// Has the continuation begun? Only for the forking thread.
    closed: Cell<bool>,
    left: UnsafeCell<Frame>,
    right: UnsafeCell<Frame>,
}

// SAFETY: each branch's frame is touched by the one thread that runs the branch; the parent's frame, which is
// blocked meanwhile, is only read; `closed` is touched by the forking thread; and the runtime's latch orders the
// branches before the fork's end.
unsafe impl Sync for Fork {}

/// Which boundary of a fork: with the fork's address, the token of that boundary.
#[derive(Clone, Copy)]
#[repr(usize)]
enum Boundary {
    Begin = 1,
    LeftEnd = 2,
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
        let mut place = MaybeUninit::uninit();
        let begun = with(|thread| thread.begins_here() && Self::begin(&mut place, thread, &call));
        if begun != Some(true) {
            return execute(None);
        }
        // SAFETY: `begin` has filled the place; it is read from here on, and emptied by `end`.
        let fork = unsafe { place.assume_init_ref() };
        let unwinding = Unwinding(fork);
        let result = execute(Some(fork));
        mem::forget(unwinding);
        fork.end();
        result
    }

    #[inline(always)]
    fn begin(place: &mut MaybeUninit<Self>, thread: &Thread, call: &Call) -> bool {
        thread.end_ordinary_strand();
        let parent = thread.frame();
        // SAFETY: the present frame of this thread; from here to `close` it is blocked.
        let edge = thread.enter(unsafe { (*parent).node }, call);
        thread.cell(edge.node).count.add(1);
        // SAFETY: the parent is blocked until both branches have ended (`end`).
        let (left, right) = unsafe {
            (
                Frame::after(parent, edge.node, 0),
                Frame::after(parent, edge.node, thread.settings.get().burden),
            )
        };
        let fork = place.write(Self {
            parent,
            thread,
            base: thread.base.get(),
            top: edge.top,
            closed: Cell::new(false),
            left: UnsafeCell::new(left),
            right: UnsafeCell::new(right),
        });
        thread.adopt(fork.left.get(), ptr::from_ref(fork) as usize);
        thread.token.set(fork.token(Boundary::Begin));
        true
    }

    #[inline(always)]
    fn token(&self, boundary: Boundary) -> usize {
        // The fork holds pointers: the lowest two bits of its address are free.
        ptr::from_ref(self) as usize | boundary as usize
    }

    /// Runs the left branch: the one that the forking thread goes on with.
    #[inline(always)]
    pub fn left<R>(&self, branch: impl FnOnce() -> R) -> R {
        if !self.is_at(Boundary::Begin) {
            return self.run_slowly(Boundary::Begin, branch);
        }
        let unwinding = LeftUnwinding(self);
        let result = branch();
        mem::forget(unwinding);
        self.end_left();
        result
    }

    /// Runs the right branch: the one that is offered to other threads.
    #[inline(always)]
    pub fn right<R>(&self, branch: impl FnOnce() -> R) -> R {
        if !self.is_at(Boundary::LeftEnd) {
            return self.run_slowly(Boundary::LeftEnd, branch);
        }
        let unwinding = RightUnwinding(self);
        let result = branch();
        mem::forget(unwinding);
        self.end_right();
        result
    }

    /// Is this the forking thread, and still at the boundary, so that it has moved on already? Then its next
    /// strand runs.
    #[inline(always)]
    fn is_at(&self, boundary: Boundary) -> bool {
        if !ptr::eq(thread::current(), self.thread) {
            return false;
        }
        let thread = self.thread();
        let at = thread.token.get() == self.token(boundary);
        if at {
            // No frame is touched, so this may race with the profile being written.
            thread.continue_strand();
        }
        at
    }

    /// The forking thread's data; for that thread.
    #[inline(always)]
    fn thread(&self) -> &Thread {
        // SAFETY: a thread's data is never freed.
        unsafe { &*self.thread }
    }

    /// Ends the left branch where it was entered at the fork.
    #[inline(always)]
    fn end_left(&self) {
        stop::guarded(self.thread(), |thread| {
            thread.end_ordinary_strand();
            // If the right branch is stolen, this thread waits in the right branch's frame. It is not running
            // then, so that does no harm.
            thread.adopt(self.right.get(), ptr::from_ref(self) as usize);
            thread.token.set(self.token(Boundary::LeftEnd));
        });
    }

    /// Ends the right branch where it was entered at the left branch's end.
    #[inline(always)]
    fn end_right(&self) {
        stop::guarded(self.thread(), |thread| {
            thread.end_ordinary_strand();
            self.close(thread);
        });
    }

    /// Runs a branch that starts at a boundary of its own, or without the engine.
    #[cold]
    #[inline(never)]
    fn run_slowly<R>(&self, boundary: Boundary, branch: impl FnOnce() -> R) -> R {
        let base = 0_usize;
        let frame = match boundary {
            Boundary::Begin => self.left.get(),
            Boundary::LeftEnd => self.right.get(),
        };
        let saved = with(|thread| {
            thread.start_strand_after_wait();
            if matches!(boundary, Boundary::LeftEnd) && !ptr::eq(thread, self.thread) {
                // SAFETY: written before the fork, read-only since.
                thread.cell(unsafe { (*frame).node }).stolen.add(1);
            }
            thread.adopt(frame, ptr::from_ref(&base) as usize)
        });
        let _end = BranchEnd { saved };
        branch()
    }

    /// Starts the continuation: both branches have ended, and `thread`, the forking one, is at the last
    /// boundary.
    #[inline(always)]
    fn close(&self, thread: &Thread) {
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
        let burdened = left.burdened().max(right.burdened());
        let node = left.node;
        parent.continue_after(if right.depth > left.depth {
            right
        } else {
            left
        });
        parent.set_burdened(burdened);
        if self.top {
            let cell = thread.cell(node);
            cell.top_count.add(1);
            cell.top_span.add(parent.depth - before);
        }
        thread.restore((self.parent, self.base));
        thread.continue_strand();
        self.closed.set(true);
    }

    /// Ends the fork; nothing may touch it after this.
    #[inline(always)]
    fn end(&self) {
        if !self.closed.get() {
            self.close_slowly();
        }
        for frame in [&self.left, &self.right] {
            // SAFETY: nobody has the branches' frames any more; this runs once.
            unsafe { Frame::drop_spent(frame.get()) };
        }
    }

    #[cold]
    #[inline(never)]
    fn close_slowly(&self) {
        with(|thread| {
            thread.start_strand_after_wait();
            self.close(thread);
        });
    }
}

/// Ends a left branch that unwinds.
struct LeftUnwinding<'a>(&'a Fork);

impl Drop for LeftUnwinding<'_> {
    #[cold]
    fn drop(&mut self) {
        self.0.end_left();
    }
}

/// Ends a right branch that unwinds.
struct RightUnwinding<'a>(&'a Fork);

impl Drop for RightUnwinding<'_> {
    #[cold]
    fn drop(&mut self) {
        self.0.end_right();
    }
}

/// Ends a branch that was entered the slow way, also when it unwinds.
struct BranchEnd {
    saved: Option<Saved>,
}

impl Drop for BranchEnd {
    fn drop(&mut self) {
        let Some(saved) = self.saved else { return };
        with(|thread| {
            thread.end_ordinary_strand();
            thread.restore(saved);
        });
    }
}

/// Ends a fork that unwinds: the runtime has both branches ended before it passes a panic on.
struct Unwinding<'a>(&'a Fork);

impl Drop for Unwinding<'_> {
    #[cold]
    fn drop(&mut self) {
        self.0.end();
    }
}
