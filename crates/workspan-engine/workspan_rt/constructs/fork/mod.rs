//! Two branches that are both awaited.
//!
//! On the fast path, when nothing is stolen, one thread runs the left branch, the right branch and
//! the continuation with nothing in between. There are three boundaries, each with at most one
//! reading of the clock, and at each the thread already moves on to what comes next: at the fork to
//! the left branch, at the left branch's end to the right branch, at the right branch's end to the
//! continuation. The thread's token ([`Thread::at`]) shows whether it really got there, since any
//! other boundary in between replaces the token. If it did not, the branch or the continuation
//! starts on the slow path, with a reading of the clock of its own.
//!
//! A fork is *folded* if its branches belong to the node of the call tree at which the forking
//! strand runs, that is, if the call recurs; or if it begins in a stretch. Its branches use the
//! parent's frame in turn, and only where the path stood is kept aside. Otherwise, or when the
//! parent's frame holds more than numbers, each branch has a frame of its own, and the parent's is
//! blocked.
//!
//! In a [stretch](crate::path::stretch), unless it is timed, the boundaries of a folded fork read
//! no clock.

mod beginning;
mod branch;
mod closing;
mod recording;
mod waiting;

use crate::path::beginning::Beginning;
use crate::path::frame::{Frame, Own, Position};
use crate::thread::{self, Thread, BOUNDARY, UNREAD};
use crate::tree::call::{Call, Kind};
use std::cell::{Cell, UnsafeCell};
use std::mem::{self, ManuallyDrop, MaybeUninit};
use std::panic::Location;
use std::ptr;
use std::sync::atomic::AtomicPtr;

/// The account of one fork, on the stack of the function that forks. Allocates only for a folded
/// fork whose right branch is stolen, or whose left branch leaves more than numbers.
#[repr(C, align(8))]
pub struct Fork {
    parent: *mut Frame,
    thread: *const Thread,
    /// The token at which the fork began, less its boundary.
    base: usize,
    /// Node of the fork's instance, and of the forking strand.
    node: u32,
    from: u32,
    /// How far the fork has come. Touched by the thread that runs the left branch, then by the
    /// forking one.
    stage: Cell<Stage>,
    is_folded: bool,
    top: bool,
    /// Whether the fork began in a stretch.
    in_stretch: bool,
    /// Whether the fork keeps account of own strands: it does unless it began in a stretch that is
    /// not timed.
    keeps_own: bool,
    /// Time at which the fork began. In a stretch, if the fork leads to another node: the ticks that
    /// the strands before it were taken to last.
    begun: i64,
    /// Work of the parent at the fork. Unused in a stretch, unless the fork leads to another node.
    work: i64,
    /// `open` of the parent at the fork; from the left branch's end on, of the left branch. Unused
    /// in a stretch: there it adds up over both branches, so that a stretch that is broken off
    /// counts for all paths through it.
    open: Cell<i64>,
    branches: UnsafeCell<Branches>,
    /// Where the fork begins in the record. Unused in a stretch.
    recorded: Beginning,
    /// Names in the record of branches that ran as lanes of their own; 0 for one that did not. In a
    /// stretch only that of the right branch is set, and only if that branch has run
    /// [apart](Apart).
    left_lane: Cell<u64>,
    right_lane: Cell<u64>,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    /// All boundaries so far were in a stretch: the left branch runs or has run in place, and
    /// leaves nothing but the position at which it ends.
    InStretch,
    /// The same, and the fork leads to another node than the one where it was made.
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

#[repr(C)]
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
    /// Own strands at the fork and at the end of the left branch, if the fork keeps account of
    /// them.
    own_at: MaybeUninit<Own>,
    own_left: MaybeUninit<Own>,
    /// The frame in which the left branch ended, if it held more than numbers.
    left_frame: *mut Frame,
    /// The account of a right branch that does not use the parent's frame. Set when that branch
    /// starts.
    apart: AtomicPtr<Apart>,
}

/// A right branch with a frame of its own, which continues the parent's as it was at the fork.
struct Apart {
    /// When it started; `i64::MAX` with a clock that the forking thread cannot compare with its
    /// own.
    since: i64,
    origin: Frame,
    right: Frame,
}

// SAFETY: what a branch writes here, its frame, or its turn at the parent's, is of the one thread
// that runs it, and the runtime's latch orders both branches before the fork's end. Before that,
// the two only share `apart`, an atomic, and what does not change while they run.
unsafe impl Sync for Fork {}

/// Which boundary of a fork. Together with the fork's address, the value of [`Thread::at`] there.
#[derive(Clone, Copy)]
#[repr(usize)]
enum Boundary {
    Begin = 1,
    LeftEnd = 2,
}

impl Fork {
    /// Ends the running strand, has `execute` run the two branches through [`Fork::left`] and
    /// [`Fork::right`], each exactly once, and continues after the longer one. The call stands at
    /// `location` and has a closure of type `F`. With the engine off, `execute` gets no fork.
    /// `prepare` is called before anything is asked of the engine or the runtime, unless an open
    /// stretch shows that this has been done.
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
        let key = Call::key_of::<F>(Kind::Join, location);
        if !Self::begin_in_stretch(&mut place, key) && !Self::begin_timed(&mut place, key) {
            prepare();
            if !Self::begin_outside::<F>(&mut place, location) {
                return execute(None);
            }
        }
        // SAFETY: `begin_in_stretch`, `begin_timed` or `begin_outside` has written every field that is
        // read of a fork which began that way. Those that only others need may be unwritten, and are
        // never read.
        let fork = unsafe { place.assume_init_ref() };
        let unwinding = Unwinding(fork);
        let result = execute(Some(fork));
        mem::forget(unwinding);
        fork.end();
        result
    }

    #[inline(always)]
    fn at(&self, boundary: Boundary) -> usize {
        // The fork is aligned so that the lowest three bits of its address are free.
        ptr::from_ref(self) as usize | boundary as usize
    }

    /// The token, if this is the innermost open fork, and the stretch is open in which it began.
    #[inline(always)]
    fn unread(&self, thread: &Thread) -> Option<usize> {
        let at = thread.at();
        (at & !BOUNDARY == ptr::from_ref(self) as usize | UNREAD).then_some(at)
    }

    /// What a folded fork keeps.
    #[inline(always)]
    fn folded(&self) -> *mut Folded {
        // SAFETY: the union is in place, and only an address in it is taken.
        unsafe { ptr::addr_of_mut!((*self.branches.get()).folded).cast() }
    }

    /// The frames of the branches of a fork that is not folded.
    #[inline(always)]
    fn framed(&self) -> *mut Framed {
        // SAFETY: the union is in place, and only an address in it is taken.
        unsafe { ptr::addr_of_mut!((*self.branches.get()).framed).cast() }
    }

    /// Runs the left branch, the one that the forking thread goes on with.
    #[inline(always)]
    pub fn left<R>(&self, branch: impl FnOnce() -> R) -> R {
        if !self.is_unread_at(Boundary::Begin) && !self.is_at(Boundary::Begin) {
            return self.run_slowly(Boundary::Begin, branch);
        }
        let unwinding = LeftUnwinding(self);
        let result = branch();
        mem::forget(unwinding);
        self.end_left();
        result
    }

    /// Runs the right branch, the one that is offered to other threads.
    #[inline(always)]
    pub fn right<R>(&self, branch: impl FnOnce() -> R) -> R {
        if !self.is_unread_at(Boundary::LeftEnd) && !self.is_at(Boundary::LeftEnd) {
            return self.run_slowly(Boundary::LeftEnd, branch);
        }
        let unwinding = RightUnwinding(self);
        let result = branch();
        mem::forget(unwinding);
        self.end_right();
        result
    }

    /// Whether this is the forking thread, still at the boundary, in the stretch in which the fork
    /// began. The next strand is running then.
    #[inline(always)]
    fn is_unread_at(&self, boundary: Boundary) -> bool {
        ptr::eq(thread::current(), self.thread) && self.thread().at() == self.at(boundary) | UNREAD
    }

    /// Returns whether this is the forking thread, still at the boundary, so that it has moved on
    /// already. If so, makes sure that its next strand is running.
    #[inline(never)]
    fn is_at(&self, boundary: Boundary) -> bool {
        let is_at =
            ptr::eq(thread::current(), self.thread) && self.thread().at() == self.at(boundary);
        if is_at {
            // No frame is touched, so this may race with the writing of the profile.
            self.thread().continue_strand();
        }
        is_at
    }

    /// The forking thread's data. Only for that thread.
    #[inline(always)]
    fn thread(&self) -> &Thread {
        // SAFETY: it points at the data of the thread that forks, which are never freed.
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

/// Ends a fork that unwinds. The runtime has both branches ended before it passes a panic on.
struct Unwinding<'a>(&'a Fork);

impl Drop for Unwinding<'_> {
    #[cold]
    fn drop(&mut self) {
        self.0.end();
    }
}
