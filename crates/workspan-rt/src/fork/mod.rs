//! Two branches that are both awaited.
//!
//! The fast way, when nothing is stolen, is one thread that runs the left branch, the right branch and the
//! continuation with nothing in between. It has three boundaries, each at most one clock read, and at each the
//! thread already moves on to what comes next there: at the fork to the left branch, at the left branch's end to
//! the right branch, at the right branch's end to the continuation. Whether it really got there is what the
//! thread's token tells: any other boundary in between replaces it. Then the branch or the continuation starts by
//! the slow way, with a clock read of its own.
//!
//! A fork is *folded* if its branches belong to the node of the call tree at which the forking strand runs: the
//! call recurs. Its branches use the parent's frame in turn, and only where the path stood is kept aside. Otherwise,
//! or when the parent's frame holds more than numbers, each branch has a frame of its own, and the parent's is
//! blocked.
//!
//! In a [stretch](crate::stretch) the boundaries of a folded fork read no clock.

mod beginning;
mod branch;
mod closing;
mod recording;
mod waiting;

use crate::call::{Call, Kind};
use crate::frame::{Frame, Own, Position};
use crate::record::Beginning;
use crate::thread::{self, Thread};
use std::cell::{Cell, UnsafeCell};
use std::mem::{self, ManuallyDrop, MaybeUninit};
use std::panic::Location;
use std::ptr;
use std::sync::atomic::AtomicPtr;

/// The account of one fork, on the stack of the function that forks. Allocates only for a folded fork whose right
/// branch is stolen, or whose left branch leaves more than numbers.
#[repr(C)]
pub struct Fork {
    parent: *mut Frame,
    thread: *const Thread,
    /// Stack address at which the forking task began.
    base: usize,
    /// Node of the fork's instance, and of the strand that forks.
    node: u32,
    from: u32,
    /// How far the fork has come. For the thread that runs the left branch, then for the forking one.
    stage: Cell<Stage>,
    is_folded: bool,
    top: bool,
    /// Did the fork begin in a stretch?
    in_stretch: bool,
    /// Does the fork keep account of own strands? It does unless it began in a stretch that is not timed.
    keeps_own: bool,
    /// Time at which the fork began; in a stretch, the forks begun there before it if it leads to another node.
    begun: i64,
    /// Work of the parent at the fork. Unused in a stretch, unless the fork leads to another node.
    work: i64,
    /// `open` of the parent at the fork; from the left branch's end on, of the left branch. Unused in a stretch:
    /// there it adds up over both branches, so that a stretch that is broken off counts for all paths through it.
    open: Cell<i64>,
    branches: UnsafeCell<Branches>,
    /// Where the fork begins in the record. Unused in a stretch.
    recorded: Beginning,
    /// Names in the record of branches that ran as lanes of their own, 0 of one that did not. In a stretch that is known of
    /// the right one alone, and only if it has run apart.
    left_lane: Cell<u64>,
    right_lane: Cell<u64>,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    /// All boundaries so far were in a stretch: the left branch runs or has run where it is, and the position at which
    /// it ends or has ended is all that it leaves.
    InStretch,
    /// The same, and the fork leads to another node than the one at which it was made.
    Across,
    Begun,
    LeftEnded,
    Closed,
}

impl Stage {
    #[inline(always)]
    fn is_in_stretch(self) -> bool {
        matches!(self, Stage::InStretch | Stage::Across)
    }
}

union Branches {
    folded: ManuallyDrop<Folded>,
    framed: ManuallyDrop<Framed>,
}

/// A frame for each branch.
struct Framed {
    left: Frame,
    right: Frame,
}

/// What a folded fork keeps while its branches use the parent's frame.
#[repr(C)]
struct Folded {
    /// Where the path stood at the fork.
    at: Position,
    /// Where the left branch ended.
    left: Position,
    /// Own strands at the fork and at the end of the left branch, if the fork keeps account of them.
    own_at: MaybeUninit<Own>,
    own_left: MaybeUninit<Own>,
    /// The frame in which the left branch ended, if that held more than numbers.
    left_frame: *mut Frame,
    /// The account of a right branch that does not use the parent's frame. Set when that starts.
    apart: AtomicPtr<Apart>,
}

/// A right branch with a frame of its own, which continues the parent's as that was at the fork.
struct Apart {
    /// When it started; the end of time by a clock that the forking thread cannot compare with its own.
    since: i64,
    origin: Frame,
    right: Frame,
}

// SAFETY: each branch's frame or turn at the parent's is that of the one thread that runs the branch; `origin` and
// `right` of `Apart` are made by the thread that runs the right branch, out of what the forking thread wrote before
// the fork and nobody writes after; the parent's frame is otherwise blocked, and only read; `stage` is touched by
// the thread that runs the left branch and then by the forking one; and the runtime's latch orders the branches
// before the fork's end.
unsafe impl Sync for Fork {}

/// Which boundary of a fork: with the fork's address, what [`Thread::at`] is there.
#[derive(Clone, Copy)]
#[repr(usize)]
enum Boundary {
    Begin = 1,
    LeftEnd = 2,
}

impl Fork {
    /// Ends the running strand, lets `execute` run the two branches through [`Fork::left`] and
    /// [`Fork::right`], each exactly once, and continues after the longer one. The call stands at `location` and has a
    /// closure of type `F`. With the engine off, `execute` gets no fork; `prepare` is called before the engine or the
    /// runtime is asked anything, except where that has clearly been done.
    ///
    /// # Panics
    /// When `execute` does; the account is closed all the same.
    #[inline(always)]
    pub fn run<F, R>(
        location: &'static Location<'static>,
        prepare: impl FnOnce(),
        execute: impl FnOnce(Option<&Fork>) -> R,
    ) -> R {
        let mut place = MaybeUninit::uninit();
        if !Self::begin_in_stretch(&mut place, Call::key_of::<F>(Kind::Join, location)) {
            prepare();
            if !Self::begin_outside::<F>(&mut place, location) {
                return execute(None);
            }
        }
        // SAFETY: one of the two has filled the place; it is read from here on, and emptied by `end`.
        let fork = unsafe { place.assume_init_ref() };
        let unwinding = Unwinding(fork);
        let result = execute(Some(fork));
        mem::forget(unwinding);
        fork.end();
        result
    }

    #[inline(always)]
    fn at(&self, boundary: Boundary) -> usize {
        // The fork holds pointers: the lowest two bits of its address are free.
        ptr::from_ref(self) as usize | boundary as usize
    }

    /// What a folded fork keeps.
    #[inline(always)]
    fn folded(&self) -> *mut Folded {
        // SAFETY: `branches` is in place; only an address is taken.
        unsafe { ptr::addr_of_mut!((*self.branches.get()).folded).cast() }
    }

    /// The frames of the branches of a fork that is not folded.
    #[inline(always)]
    fn framed(&self) -> *mut Framed {
        // SAFETY: as above.
        unsafe { ptr::addr_of_mut!((*self.branches.get()).framed).cast() }
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
        let at = thread.at() == self.at(boundary);
        // In a stretch the thread runs all the time. No frame is touched, so this may race with the profile being
        // written.
        if at && !thread.is_running() {
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

/// Ends a fork that unwinds: the runtime has both branches ended before it passes a panic on.
struct Unwinding<'a>(&'a Fork);

impl Drop for Unwinding<'_> {
    #[cold]
    fn drop(&mut self) {
        self.0.end();
    }
}
