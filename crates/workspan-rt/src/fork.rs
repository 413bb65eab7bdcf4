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
use crate::thread::{self, with, Saved, Thread};
use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
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
        if with(|thread| Self::begin(&mut place, thread, &call)).is_none() {
            return execute(None);
        }
        // SAFETY: `begin` has filled the place; it is read from here on, and emptied by `End`.
        let fork = unsafe { place.assume_init_ref() };
        let end = End(fork);
        let result = execute(Some(fork));
        drop(end);
        result
    }

    #[inline(always)]
    fn begin(place: &mut MaybeUninit<Self>, thread: &Thread, call: &Call) {
        thread.end_ordinary_strand();
        let parent = thread.frame();
        // SAFETY: the present frame of this thread; from here to `close` it is blocked.
        let edge = thread.enter(unsafe { (*parent).node }, call);
        thread.cell(edge.node).count.add(1);
        // SAFETY: the parent is blocked until both branches have ended (`End`).
        let (left, right) =
            unsafe { (Frame::after(parent, edge.node, 0), Frame::after(parent, edge.node, thread.settings.get().burden)) };
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
    }

    #[inline(always)]
    fn token(&self, boundary: Boundary) -> usize {
        // The fork holds pointers: the lowest two bits of its address are free.
        ptr::from_ref(self) as usize | boundary as usize
    }

    /// Runs the left branch: the one that the forking thread goes on with.
    #[inline(always)]
    pub fn left<R>(&self, branch: impl FnOnce() -> R) -> R {
        let end = LeftEnd { fork: self, saved: self.enter(Boundary::Begin, &self.left) };
        let result = branch();
        drop(end);
        result
    }

    /// Runs the right branch: the one that is offered to other threads.
    #[inline(always)]
    pub fn right<R>(&self, branch: impl FnOnce() -> R) -> R {
        let end = RightEnd { fork: self, saved: self.enter(Boundary::LeftEnd, &self.right) };
        let result = branch();
        drop(end);
        result
    }

    /// Is the forking thread still at the boundary, so that it has moved on already?
    #[inline(always)]
    fn enter(&self, boundary: Boundary, frame: &UnsafeCell<Frame>) -> Entry {
        let here = thread::current();
        // SAFETY: a thread's data is never freed, and this is the calling thread's.
        if ptr::eq(here, self.thread) && unsafe { (*here).token.get() } == self.token(boundary) {
            // SAFETY: as above. No frame is touched, so this may race with the profile being written.
            unsafe { (*here).continue_strand() };
            return Entry::Fast;
        }
        self.enter_slowly(boundary, frame)
    }

    #[cold]
    #[inline(never)]
    fn enter_slowly(&self, boundary: Boundary, frame: &UnsafeCell<Frame>) -> Entry {
        let base = 0_usize;
        let saved = with(|thread| {
            thread.start_strand(self.token(boundary));
            if matches!(boundary, Boundary::LeftEnd) && !ptr::eq(thread, self.thread) {
                // SAFETY: written before the fork, read-only since.
                thread.cell(unsafe { (*frame.get()).node }).stolen.add(1);
            }
            thread.adopt(frame.get(), ptr::from_ref(&base) as usize)
        });
        saved.map_or(Entry::Off, Entry::Slow)
    }

    /// Starts the continuation: both branches have ended, and `thread`, the forking one, is at the last
    /// boundary.
    #[inline(always)]
    fn close(&self, thread: &Thread) {
        // SAFETY: both branches have ended, so this thread has the parent and the branches to itself; the
        // runtime's latch ordered what the branches wrote before this.
        let (parent, left, right) = unsafe { (&mut *self.parent, &mut *self.left.get(), &mut *self.right.get()) };
        let before = parent.depth;
        let burdened = left.burdened.max(right.burdened);
        let node = left.node;
        parent.continue_after(if right.depth > left.depth { right } else { left });
        parent.burdened = burdened;
        if self.top {
            let cell = thread.cell(node);
            cell.top_count.add(1);
            cell.top_span.add(parent.depth - before);
        }
        thread.restore((self.parent, self.base));
        thread.continue_strand();
        self.closed.set(true);
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

/// How a branch was entered.
enum Entry {
    Fast,
    Slow(Saved),
    Off,
}

struct LeftEnd<'a> {
    fork: &'a Fork,
    saved: Entry,
}

impl Drop for LeftEnd<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if matches!(self.saved, Entry::Off) {
            return;
        }
        with(|thread| {
            thread.end_ordinary_strand();
            match self.saved {
                // If the right branch is stolen, this thread waits in the right branch's frame. It is not
                // running then, so that does no harm.
                Entry::Fast => _ = thread.adopt(self.fork.right.get(), ptr::from_ref(self.fork) as usize),
                Entry::Slow(saved) => thread.restore(saved),
                Entry::Off => {}
            }
            thread.token.set(self.fork.token(Boundary::LeftEnd));
        });
    }
}

struct RightEnd<'a> {
    fork: &'a Fork,
    saved: Entry,
}

impl Drop for RightEnd<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if matches!(self.saved, Entry::Off) {
            return;
        }
        with(|thread| {
            thread.end_ordinary_strand();
            match self.saved {
                // Entered at the left branch's end: so that has ended too.
                Entry::Fast => self.fork.close(thread),
                Entry::Slow(saved) => thread.restore(saved),
                Entry::Off => {}
            }
        });
    }
}

/// Ends a fork, also when it unwinds: the runtime has both branches ended before it passes a panic on.
struct End<'a>(&'a Fork);

impl Drop for End<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.0.closed.get() {
            self.0.close_slowly();
        }
        for frame in [&self.0.left, &self.0.right] {
            // SAFETY: nobody has the branches' frames any more, and nothing touches the fork after this.
            unsafe { Frame::drop_spent(frame.get()) };
        }
    }
}
