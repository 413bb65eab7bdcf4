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

use crate::call::{Call, Kind};
use crate::clock::Clock;
use crate::frame::{Frame, Own, Position};
use crate::log::Part;
use crate::record::{Beginning, Figures, Item};
use crate::session;
use crate::stop;
use crate::thread::{self, with, Saved, Thread, BOUNDARY};
use std::cell::{Cell, UnsafeCell};
use std::mem::{self, ManuallyDrop, MaybeUninit};
use std::panic::Location;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

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

    /// Begins a fork without a reading of the clock, if that may be.
    #[inline(always)]
    fn begin_in_stretch(place: &mut MaybeUninit<Self>, key: u64) -> bool {
        let thread = thread::current();
        // SAFETY: a thread's data is never freed.
        let Some(thread) = (unsafe { thread.as_ref() }) else {
            return false;
        };
        if !thread.stretch.has_room(key) {
            return false;
        }
        let place = place.as_mut_ptr();
        // SAFETY: the place is the caller's to fill. Field by field, so that nothing is copied.
        unsafe {
            ptr::addr_of_mut!((*place).parent).write(thread.present());
            ptr::addr_of_mut!((*place).thread).write(thread);
            ptr::addr_of_mut!((*place).base).write(thread.base());
            ptr::addr_of_mut!((*place).stage).write(Cell::new(Stage::InStretch));
            ptr::addr_of_mut!((*place).is_folded).write(true);
            ptr::addr_of_mut!((*place).top).write(false);
            ptr::addr_of_mut!((*place).in_stretch).write(true);
            // Both nodes at once.
            ptr::addr_of_mut!((*place).node)
                .cast::<u64>()
                .write_unaligned(thread.stretch.node_twice());
            let Some(strand) = thread.end_strand_in_stretch() else {
                return false;
            };
            Self::fold(place, thread.stretch.begin_fork(strand));
            let measures = thread.stretch.measures();
            ptr::addr_of_mut!((*place).keeps_own).write(measures);
            if measures {
                let own = thread.stretch.own();
                Self::keep_own(place, own);
                thread.stretch.set_own(own.of_branch());
            }
        }
        thread.set_at(place as usize | Boundary::Begin as usize);
        true
    }

    /// Writes what a folded fork keeps of its parent's frame.
    ///
    /// # Safety
    /// `place` is to be filled.
    #[inline(always)]
    unsafe fn fold(place: *mut Self, at: Position) {
        // SAFETY: the caller's promise.
        unsafe {
            let folded = ptr::addr_of_mut!((*place).branches).cast::<Folded>();
            ptr::addr_of_mut!((*folded).at).write(at);
            ptr::addr_of_mut!((*folded).left_frame).write(ptr::null_mut());
            ptr::addr_of_mut!((*folded).apart).write(AtomicPtr::new(ptr::null_mut()));
        }
    }

    /// Writes what a folded fork keeps of own strands.
    ///
    /// # Safety
    /// As [`Fork::fold`].
    #[inline(always)]
    unsafe fn keep_own(place: *mut Self, own: Own) {
        // SAFETY: the caller's promise.
        unsafe {
            let folded = ptr::addr_of_mut!((*place).branches).cast::<Folded>();
            ptr::addr_of_mut!((*folded).own_at).write(MaybeUninit::new(own));
        }
    }

    /// Begins a fork with a reading of the clock.
    #[inline(never)]
    fn begin_outside<F>(
        place: &mut MaybeUninit<Self>,
        location: &'static Location<'static>,
    ) -> bool {
        let call = Call::new::<F>(Kind::Join, location);
        Self::begin_guarded(place, &call)
    }

    #[inline(never)]
    fn begin_guarded(place: &mut MaybeUninit<Self>, call: &Call) -> bool {
        let begun = with(|thread| {
            Self::begin_across(place, thread, call)
                || (thread.begins_here() && Self::begin(place, thread, call))
        });
        begun == Some(true)
    }

    /// As [`Fork::begin_in_stretch`], where the call is not known to stay at the node.
    fn begin_across(place: &mut MaybeUninit<Self>, thread: &Thread, call: &Call) -> bool {
        let stretch = &thread.stretch;
        if !stretch.has_room_across() {
            return false;
        }
        let from = stretch.node();
        let Some(edge) = thread.known_edge(from, call) else {
            return false;
        };
        if edge.node == from {
            stretch.learn_alike(call.key);
            return Self::begin_in_stretch(place, call.key);
        }
        let begun = stretch.begun() + 1;
        let Some(at) = stretch.begin_fork_across(edge.node) else {
            return false;
        };
        let place = place.as_mut_ptr();
        // SAFETY: the place is the caller's to fill.
        unsafe {
            Self::fill(place, thread, Stage::Across, true);
            ptr::addr_of_mut!((*place).top).write(edge.top);
            ptr::addr_of_mut!((*place).node).write(edge.node);
            ptr::addr_of_mut!((*place).from).write(from);
            ptr::addr_of_mut!((*place).keeps_own).write(false);
            ptr::addr_of_mut!((*place).begun).write(begun);
            // Only this thread writes it, and not while a stretch is open.
            ptr::addr_of_mut!((*place).work).write((*thread.present()).effort.work);
            Self::fold(place, at);
        }
        thread.set_at(place as usize | Boundary::Begin as usize);
        true
    }

    /// Writes what is common to all forks that do not begin the fastest way.
    ///
    /// # Safety
    /// `place` is to be filled.
    unsafe fn fill(place: *mut Self, thread: &Thread, stage: Stage, is_folded: bool) {
        // SAFETY: the caller's promise.
        unsafe {
            ptr::addr_of_mut!((*place).parent).write(thread.present());
            ptr::addr_of_mut!((*place).thread).write(thread);
            ptr::addr_of_mut!((*place).base).write(thread.base());
            ptr::addr_of_mut!((*place).stage).write(Cell::new(stage));
            ptr::addr_of_mut!((*place).is_folded).write(is_folded);
            ptr::addr_of_mut!((*place).in_stretch).write(stage.is_in_stretch());
        }
    }

    fn begin(place: &mut MaybeUninit<Self>, thread: &Thread, call: &Call) -> bool {
        let stretch = &thread.stretch;
        let begins_branch =
            !stretch.is_open() && stretch.opener.get() != 0 && stretch.opener.get() == thread.at();
        let before = thread.end_ordinary_strand();
        let grain = thread.settings.get().grain;
        let parent = thread.frame();
        // SAFETY: the present frame of this thread, which runs its strands.
        let frame = unsafe { &mut *parent };
        let edge = thread.enter(frame.node, call);
        let may_fold = !frame.owns();
        let stays = edge.node == frame.node;
        let opens = may_fold
            && begins_branch
            && before < grain / 4
            && thread.known_edge(frame.node, call).is_some();
        let is_folded = may_fold && (stays || opens);
        let is_timed = grain == 0
            && is_folded
            // In a stretch nothing is recorded.
            && !thread.records()
            && thread.known_edge(frame.node, call).is_some();
        let stage = match stays {
            true if opens || is_timed => Stage::InStretch,
            false if opens => Stage::Across,
            _ => Stage::Begun,
        };
        if !opens {
            thread.cell(edge.node).count.add(1);
            frame.effort.add_forks(1);
        }
        let place = place.as_mut_ptr();
        let here = place as usize;
        let at = here | Boundary::Begin as usize;
        // SAFETY: the place is the caller's to fill.
        unsafe {
            Self::fill(place, thread, stage, is_folded);
            ptr::addr_of_mut!((*place).top).write(edge.top);
            ptr::addr_of_mut!((*place).node).write(edge.node);
            ptr::addr_of_mut!((*place).from).write(frame.node);
            ptr::addr_of_mut!((*place).keeps_own).write(!opens);
            ptr::addr_of_mut!((*place).begun).write(if opens { 0 } else { thread.last.get() });
            ptr::addr_of_mut!((*place).work).write(frame.effort.work);
            ptr::addr_of_mut!((*place).open).write(Cell::new(frame.open.get()));
        }
        if thread.records() && !opens {
            let begin = Beginning::before_fork(thread, frame, edge.node);
            // SAFETY: as above.
            unsafe {
                ptr::addr_of_mut!((*place).recorded).write(begin);
                ptr::addr_of_mut!((*place).left_lane).write(Cell::new(0));
                ptr::addr_of_mut!((*place).right_lane).write(Cell::new(0));
            }
        }
        if is_folded {
            let fork = frame.position();
            let left = Position {
                count: fork.count + 1,
                ..fork
            };
            // SAFETY: as above.
            unsafe {
                Self::fold(place, fork);
                Self::keep_own(place, frame.own());
            }
            thread.set_at(at);
            if opens {
                let strand = thread.settings.get().strand;
                stretch.open(call.key, frame.node, edge.node, left, strand);
                return true;
            }
            let own = frame.own().of_branch();
            if is_timed {
                stretch.open_timed(call.key, edge.node, left, own);
                return true;
            }
            frame.set_position(left);
            frame.set_own(own);
        } else {
            // SAFETY: the parent is blocked until both branches have ended (`end`).
            unsafe {
                let framed = ptr::addr_of_mut!((*place).branches).cast::<Framed>();
                let left = ptr::addr_of_mut!((*framed).left);
                left.write(Frame::after(parent, edge.node, 0));
                ptr::addr_of_mut!((*framed).right).write(Frame::after(
                    parent,
                    edge.node,
                    thread.settings.get().burden,
                ));
                thread.adopt(left, at);
            }
        }
        stretch.consider(at, stretch.expected_of_left(), grain);
        true
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

    /// Ends the left branch where it was entered at the fork.
    #[inline(always)]
    fn end_left(&self) {
        let thread = self.thread();
        let stretch = &thread.stretch;
        let folded = self.folded();
        // What ends a stretch need not be folded.
        if !stretch.is_open()
            || !self.stage.get().is_in_stretch()
            || stretch.opener.get() == self.at(Boundary::Begin)
            // A serial instance in the branch has not been left.
            || !ptr::eq(thread.present(), self.parent)
        {
            return self.end_left_outside();
        }
        // SAFETY: the fork has begun in a stretch, so it is folded, and while the left branch runs nobody else writes
        // what it keeps but `apart`.
        unsafe {
            // A thief's start is the latest that this branch can have ended, so its end must not go unread.
            if !(*folded).apart.load(Ordering::Relaxed).is_null() {
                return self.end_left_outside();
            }
            let Some(strand) = thread.end_strand_in_stretch() else {
                return self.end_left_outside();
            };
            stretch.end_strand(strand);
            ptr::addr_of_mut!((*folded).left).write(stretch.position());
            if self.keeps_own {
                ptr::addr_of_mut!((*folded).own_left).write(MaybeUninit::new(stretch.own()));
                stretch.set_own((*folded).own_at.assume_init_read().of_branch());
            }
            stretch.set_position(self.right_position(thread, (*folded).at));
        }
        thread.set_at(self.at(Boundary::LeftEnd));
        thread.wait_if_stolen();
    }

    #[inline(never)]
    fn end_left_outside(&self) {
        stop::guarded(self.thread(), |thread| {
            let stretch = &thread.stretch;
            if stretch.is_open() && stretch.opener.get() == self.at(Boundary::Begin) {
                thread.close_stretch();
            } else {
                thread.end_ordinary_strand();
            }
            thread.come_back_to(self.left_frame());
            if thread.records() {
                thread.record(self.middle(thread));
            }
            self.move_on(thread);
            if self.is_folded {
                thread.stand_at(self.parent, self.node);
            }
            let at = self.at(Boundary::LeftEnd);
            thread.set_at(at);
            if self.in_stretch {
                stretch.expect_nothing();
            } else {
                let left = thread.last.get() - self.begun;
                stretch.consider(at, left, thread.settings.get().grain);
            }
        });
    }

    /// Lets the thread, which has ended the left branch, move on to the right one. If that is stolen, this thread
    /// waits there. It is not running then, so that does no harm.
    fn move_on(&self, thread: &Thread) {
        self.stage.set(Stage::LeftEnded);
        if !self.is_folded {
            // SAFETY: the fork has frames; only the address is taken.
            let right = unsafe { ptr::addr_of_mut!((*self.framed()).right) };
            thread.adopt(right, ptr::from_ref(self) as usize);
            return;
        }
        // SAFETY: the fork is folded, and the branch that had the parent's frame has ended.
        let (frame, folded) = unsafe { (&mut *self.parent, self.folded()) };
        // SAFETY: as above; `apart` is not touched.
        let at = unsafe {
            ptr::addr_of_mut!((*folded).left).write(frame.position());
            (*folded).at
        };
        let left_own = frame.own();
        if frame.owns() {
            self.put_aside(frame, at);
            frame.set_own(left_own);
        }
        if self.keeps_own {
            // SAFETY: the fork has kept it; and this field is the forking thread's.
            unsafe {
                let own = (*folded).own_at.assume_init_read();
                ptr::addr_of_mut!((*folded).own_left).write(MaybeUninit::new(left_own));
                frame.set_own(own.of_branch());
            }
        }
        if !self.in_stretch {
            frame.open.set(self.open.replace(frame.open.get()));
        }
        frame.set_position(self.right_position(thread, at));
    }

    /// Where the right branch begins.
    #[inline(always)]
    fn right_position(&self, thread: &Thread, at: Position) -> Position {
        Position {
            depth: at.depth,
            ahead: at.ahead + thread.settings.get().burden,
            count: at.count + 1,
        }
    }

    /// Moves what the left branch has left in the parent's frame out of it.
    #[cold]
    #[inline(never)]
    fn put_aside(&self, frame: &mut Frame, at: Position) {
        let left = Box::into_raw(Box::new(frame.put_aside(at)));
        // SAFETY: while the left branch runs and at its end this field is its thread's.
        unsafe { ptr::addr_of_mut!((*self.folded()).left_frame).write(left) };
    }

    /// Ends the right branch where it was entered at the left branch's end.
    #[inline(always)]
    fn end_right(&self) {
        let thread = self.thread();
        let stretch = &thread.stretch;
        if !stretch.is_open()
            || !self.stage.get().is_in_stretch()
            || stretch.opener.get() == self.at(Boundary::LeftEnd)
            || !ptr::eq(thread.present(), self.parent)
        {
            return self.end_right_outside();
        }
        // SAFETY: the fork has begun in a stretch, so it is folded, and both branches have ended, on this thread.
        let folded = unsafe { &*self.folded() };
        let Some(strand) = thread.end_strand_in_stretch() else {
            return self.end_right_outside();
        };
        stretch.end_strand(strand);
        let right = stretch.position();
        let burdened = folded.left.burdened().max(right.burdened());
        let longest = right.longer(folded.left);
        if self.keeps_own {
            let (after, lost) = self.own_after(right.depth > folded.left.depth, stretch.own());
            stretch.set_own(after);
            stretch.lose(lost);
        }
        stretch.depth.set(longest.depth);
        stretch.ahead.set(burdened - longest.depth);
        stretch.count.set(longest.count as i64);
        thread.set_at(self.base);
        if self.stage.get() == Stage::Across {
            let part = Part {
                count: longest.count - folded.at.count,
                local: longest.depth - folded.at.depth,
                ..Part::default()
            };
            self.go_back(thread, part);
        }
        self.stage.set(Stage::Closed);
    }

    /// Own strands after a folded fork that keeps account of them, of which both branches have ended, the right one with
    /// `right`; and the ticks of its own strands beside its longest path.
    #[inline(always)]
    fn own_after(&self, right_is_longer: bool, right: Own) -> (Own, i64) {
        // SAFETY: the caller's promise: both fields are written by now.
        let (at, left) = unsafe {
            let folded = self.folded();
            (
                (*folded).own_at.assume_init_read(),
                (*folded).own_left.assume_init_read(),
            )
        };
        if right_is_longer {
            at.after_fork(right, left)
        } else {
            at.after_fork(left, right)
        }
    }

    /// Ends a fork in a stretch that led to another node. Its path is taken to have stayed there.
    #[inline(never)]
    fn go_back(&self, thread: &Thread, path: Part) {
        stop::guarded(thread, |thread| {
            let stretch = &thread.stretch;
            // The writer of the profile may have ended the stretch meanwhile.
            if stretch.is_open() {
                if self.top {
                    stretch.end_top(stretch.begun() - self.begun);
                }
                stretch.go_back(self.from);
            }
            if self.top {
                thread.record_top_at(self.node, path);
            }
        });
    }

    #[inline(never)]
    fn end_right_outside(&self) {
        stop::guarded(self.thread(), |thread| {
            let stretch = &thread.stretch;
            if stretch.is_open() && stretch.opener.get() == self.at(Boundary::LeftEnd) {
                thread.close_stretch();
            } else {
                thread.end_ordinary_strand();
            }
            stretch.expect_nothing();
            if !self.in_stretch {
                stretch.expect(thread.last.get() - self.begun);
            }
            thread.come_back_to(self.right_frame());
            self.close(thread);
        });
    }

    /// Runs a branch that starts at a boundary of its own, or without the engine.
    #[cold]
    #[inline(never)]
    fn run_slowly<R>(&self, boundary: Boundary, branch: impl FnOnce() -> R) -> R {
        let base = 0_usize;
        let saved = with(|thread| {
            thread.start_strand_after_wait();
            let frame = match boundary {
                Boundary::Begin => self.left_frame(),
                Boundary::LeftEnd => self.right_frame_apart(thread),
            };
            if matches!(boundary, Boundary::LeftEnd) && !ptr::eq(thread, self.thread) {
                // SAFETY: written before the fork, read-only since.
                thread.cell(unsafe { (*frame).node }).stolen.add(1);
            }
            if thread.records() {
                self.record_lane(thread, boundary);
            }
            let saved = thread.adopt(frame, ptr::from_ref(&base) as usize);
            thread.begin_strand_here();
            saved
        });
        let _end = BranchEnd {
            fork: self,
            boundary,
            saved,
        };
        branch()
    }

    /// What the record tells of the end of the left branch, which ran where the fork began.
    fn middle(&self, thread: &Thread) -> Item {
        if self.in_stretch {
            Item::LateMiddle {
                mark: thread.recorder.mark_of(ptr::from_ref(self) as usize),
                node: self.node,
            }
        } else {
            Item::Middle
        }
    }

    /// Records the beginning of a branch that runs as a lane of its own.
    fn record_lane(&self, thread: &Thread, boundary: Boundary) {
        let (lane, node) = (thread.recorder.new_name(), self.node);
        match boundary {
            Boundary::Begin => {
                self.left_lane.set(lane);
                thread.record(Item::Left { lane, node });
            }
            Boundary::LeftEnd => {
                self.right_lane.set(lane);
                thread.record(Item::Right { lane, node });
            }
        }
    }

    /// Records the end of the fork, after which the path of `parent` goes on. Has the right branch of a folded fork run
    /// apart?
    #[inline(never)]
    fn record_end(&self, thread: &Thread, parent: &Frame, apart: bool) {
        if self.in_stretch {
            if self.stage.get().is_in_stretch() {
                if !apart {
                    // All that the record has of it is folded.
                    return;
                }
                thread.record(self.middle(thread));
            }
            if apart {
                let right = self.right_lane.get();
                thread.record_end_elsewhere(Item::Join { left: 0, right });
            } else {
                thread.record_late_end(parent, self.node, self.left_since_begin());
            }
            return;
        }
        let lanes = (self.left_lane.get(), self.right_lane.get());
        thread.record_join(&self.recorded, parent, self.node, lanes);
    }

    /// The paths of the left branch of a folded fork that has ended.
    fn left_since_begin(&self) -> Figures {
        // SAFETY: the fork is folded, and both branches have ended.
        let (at, left) = unsafe { ((*self.folded()).at, (*self.folded()).left) };
        Figures {
            span: left.depth - at.depth,
            burdened: left.burdened() - at.burdened(),
            ..Figures::default()
        }
    }

    /// The frame in which the left branch runs.
    fn left_frame(&self) -> *mut Frame {
        if self.is_folded {
            self.parent
        } else {
            // SAFETY: the fork has frames; only the address is taken.
            unsafe { ptr::addr_of_mut!((*self.framed()).left) }
        }
    }

    /// The frame in which the right branch runs on the forking thread.
    fn right_frame(&self) -> *mut Frame {
        if self.is_folded {
            self.parent
        } else {
            // SAFETY: the fork has frames; only the address is taken.
            unsafe { ptr::addr_of_mut!((*self.framed()).right) }
        }
    }

    /// The frame of a right branch that has begun while the forking strand was elsewhere.
    fn right_frame_begun(&self) -> *mut Frame {
        if !self.is_folded {
            return self.right_frame();
        }
        // SAFETY: the fork is folded, and this thread has set `apart`.
        unsafe {
            let apart = (*self.folded()).apart.load(Ordering::Relaxed);
            ptr::addr_of_mut!((*apart).right)
        }
    }

    /// The frame in which the right branch runs on `thread` while the forking strand is elsewhere.
    fn right_frame_apart(&self, thread: &Thread) -> *mut Frame {
        if !self.is_folded {
            // SAFETY: the fork has frames; only the address is taken.
            return unsafe { ptr::addr_of_mut!((*self.framed()).right) };
        }
        let since = match thread.settings.get().clock {
            // Virtual clocks of two threads have nothing to do with each other.
            Clock::Virtual => i64::MAX,
            _ => thread.last.get(),
        };
        // SAFETY: the fork is folded. Of what it keeps, `at` and `own_at` were written before the fork and nobody writes
        // them after, and `apart` is this branch's.
        unsafe {
            let folded = self.folded();
            let at = ptr::addr_of!((*folded).at).read();
            let mut origin = Frame::as_it_was(self.parent, at);
            if self.keeps_own {
                // The branch may freeze the path up to here.
                origin.set_own(ptr::addr_of!((*folded).own_at).read().assume_init());
            }
            let right = Frame::as_it_was(self.parent, at);
            let apart = Box::into_raw(Box::new(Apart {
                since,
                origin,
                right,
            }));
            let right = ptr::addr_of_mut!((*apart).right);
            let origin = ptr::addr_of!((*apart).origin);
            right.write(Frame::after(
                origin,
                self.node,
                thread.settings.get().burden,
            ));
            // Release: the forking thread may look at `since` before the runtime's latch orders the rest.
            (*folded).apart.store(apart, Ordering::Release);
            right
        }
    }

    /// Starts the continuation: both branches have ended, and `thread`, the forking one, is at the last
    /// boundary.
    #[inline(always)]
    fn close(&self, thread: &Thread) {
        // SAFETY: both branches have ended, so this thread has the parent's frame to itself; the runtime's latch
        // ordered what the branches wrote before this.
        let parent = unsafe { &mut *self.parent };
        thread.restore((self.parent, self.base));
        let mut apart = false;
        if self.is_folded {
            // SAFETY: the fork is folded; `at` does not change, and nobody writes the rest any more.
            let before = unsafe {
                apart = !(*self.folded()).apart.load(Ordering::Relaxed).is_null();
                (*self.folded()).at
            };
            let lost = self.close_folded(parent);
            thread.cell(self.node).beside.add(lost);
            if self.top {
                let path = Part {
                    count: parent.position().count.saturating_sub(before.count),
                    local: parent.depth - before.depth,
                    ..Part::default()
                };
                thread.record_top_at(self.node, path);
                parent.add_top(self.node, parent.effort.work - self.work);
            }
            if self.in_stretch {
                thread.stand_at(self.parent, self.from);
            }
        } else {
            self.close_framed(thread, parent);
        }
        if thread.records() {
            self.record_end(thread, parent, apart);
        }
        thread.continue_strand();
        self.stage.set(Stage::Closed);
    }

    /// Gives back the ticks of the fork's own strands beside its longest path.
    #[inline(always)]
    fn close_folded(&self, parent: &mut Frame) -> i64 {
        // SAFETY: the fork is folded, and both branches have ended.
        let folded = unsafe { &mut *self.folded() };
        if !folded.apart.get_mut().is_null() | !folded.left_frame.is_null() | parent.owns() {
            return self.close_folded_slowly(parent, folded);
        }
        let burdened = folded.left.burdened().max(parent.burdened());
        let mut lost = 0;
        if self.keeps_own {
            let (after, beside) = self.own_after(parent.depth > folded.left.depth, parent.own());
            parent.set_own(after);
            lost = beside;
        }
        parent.set_position(parent.position().longer(folded.left));
        parent.set_burdened(burdened);
        self.close_open(parent);
        lost
    }

    /// Paths through either branch may be open.
    #[inline(always)]
    fn close_open(&self, parent: &mut Frame) {
        if !self.in_stretch {
            parent.open.set(parent.open.get().max(self.open.get()));
        }
    }

    #[cold]
    #[inline(never)]
    fn close_folded_slowly(&self, parent: &mut Frame, folded: &mut Folded) -> i64 {
        let mut burdened = folded.left.burdened();
        let mut depth = parent.depth;
        let apart = mem::replace(folded.apart.get_mut(), ptr::null_mut());
        // SAFETY: made from a box by the thread that ran the right branch, and taken once.
        let apart = (!apart.is_null()).then(|| unsafe { Box::from_raw(apart) });
        let left = mem::replace(&mut folded.left_frame, ptr::null_mut());
        // SAFETY: made from a box by `put_aside`, and taken once.
        let left = (!left.is_null()).then(|| unsafe { Box::from_raw(left) });
        let mut open = parent.open.get();
        let mut own = parent.own();
        match &apart {
            Some(apart) => {
                parent.effort += apart.right.effort;
                own = apart.right.own();
                burdened = burdened.max(apart.right.burdened());
                depth = apart.right.depth;
                let (begin, end) = (apart.origin.open.get(), apart.right.open.get());
                if self.in_stretch {
                    // The stretch in which the fork began was not known when the right branch started.
                    session::open_everywhere((open - begin).max(0));
                    open += end - begin;
                } else {
                    open = open.max(end);
                }
            }
            None => burdened = burdened.max(parent.burdened()),
        }
        let known = self.keeps_own.then(|| {
            // SAFETY: the fork has kept both.
            unsafe { (folded.own_at.assume_init(), folded.own_left.assume_init()) }
        });
        let before = parent.own();
        let mut lost = own.branch;
        if depth <= folded.left.depth {
            match left {
                Some(mut left) => parent.exchange(&mut left),
                None => {
                    drop(parent.put_aside(folded.left));
                    parent.set_own(known.map_or(before, |(_, left)| left));
                }
            }
            // A surprise found while the thread waited is only in the position.
            parent.depth = folded.left.depth;
        } else if let Some(apart) = apart {
            let Apart {
                mut origin,
                mut right,
                ..
            } = *apart;
            origin.set_own(known.map_or(before, |(at, _)| at));
            parent.exchange(&mut origin);
            parent.continue_after(&mut right, Part::default());
        }
        match known {
            Some((at, left)) => {
                if depth > folded.left.depth {
                    lost = left.branch;
                }
                parent.set_own(Own {
                    branch: at.branch,
                    beside: parent.own().beside + lost,
                });
            }
            None => lost = 0,
        }
        parent.set_burdened(burdened);
        parent.open.set(open);
        self.close_open(parent);
        lost
    }

    fn close_framed(&self, thread: &Thread, parent: &mut Frame) {
        // SAFETY: the fork has frames, and both branches have ended.
        let Framed { left, right } = unsafe { &mut *self.framed() };
        let before = parent.depth;
        let burdened = left.burdened().max(right.burdened());
        let node = left.node;
        parent.open.set(left.open.get().max(right.open.get()));
        let mut effort = left.effort;
        effort += right.effort;
        let (longest, lost) = if right.depth > left.depth {
            (&mut *right, left.own().branch)
        } else {
            (&mut *left, right.own().branch)
        };
        if self.top {
            thread.record_top(node, longest.depth - before, longest, parent.origin());
        }
        thread.cell(node).beside.add(lost);
        let ended = Part {
            beside: lost,
            top_count: u64::from(self.top),
            top_work: if self.top { effort.work } else { 0 },
            ..Part::default()
        };
        parent.continue_after(longest, ended);
        parent.effort += effort;
        parent.set_burdened(burdened);
        for frame in [ptr::from_mut(left), ptr::from_mut(right)] {
            // SAFETY: nobody looks at the branches' frames any more; this runs once.
            unsafe { Frame::drop_spent(frame) };
        }
    }

    /// Ends the fork; nothing may touch it after this.
    #[inline(always)]
    fn end(&self) {
        if self.stage.get() != Stage::Closed {
            self.close_slowly();
        }
    }

    #[cold]
    #[inline(never)]
    fn close_slowly(&self) {
        let closed = with(|thread| {
            thread.start_strand_after_wait();
            if self.stage.get() == Stage::Begun {
                // The runtime gave up before the left branch.
                if thread.records() {
                    thread.record(self.middle(thread));
                }
                self.move_on(thread);
            }
            if self.is_folded {
                thread.come_back_to(self.parent);
            }
            self.close(thread);
            thread.begin_strand_here();
        });
        if closed.is_none() {
            // The session is over, and whatever the frames hold is of no use: it stays where the fork was.
            self.stage.set(Stage::Closed);
        }
    }

    /// Is the calling thread, in a stretch and at `at`, waiting for a right branch that runs apart?
    ///
    /// # Safety
    /// `at` is where the calling thread is ([`Thread::at`]), and it is in a stretch.
    pub(crate) unsafe fn waiting_at<'a>(at: usize) -> Option<Waiting<'a>> {
        if at & BOUNDARY != Boundary::LeftEnd as usize {
            return None;
        }
        // SAFETY: in a stretch the thread can only be at a fork that has not ended, and where that is at the end of its
        // left branch it is folded or has opened the stretch; it has not, since a stretch opens at a fork's beginning.
        // While the thread waits nobody else touches the left branch's position and frame.
        unsafe {
            let folded = (*((at & !BOUNDARY) as *const Fork)).folded();
            let apart = (*folded).apart.load(Ordering::Acquire);
            (!apart.is_null()).then(|| Waiting {
                since: (*apart).since,
                left: &mut (*folded).left,
                left_frame: &mut (*folded).left_frame,
            })
        }
    }
}

/// What a thread has left at a fork whose right branch it waits for.
pub(crate) struct Waiting<'a> {
    /// Since when it waits, at the latest.
    pub(crate) since: i64,
    /// Where the left branch ended.
    pub(crate) left: &'a mut Position,
    left_frame: &'a mut *mut Frame,
}

impl Waiting<'_> {
    /// Lets the path of the left branch, all of which was numbers of the fork's parent, be that of `aside`.
    pub(crate) fn put_aside(&mut self, aside: Frame) {
        *self.left_frame = Box::into_raw(Box::new(aside));
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
struct BranchEnd<'a> {
    fork: &'a Fork,
    boundary: Boundary,
    saved: Option<Saved>,
}

impl Drop for BranchEnd<'_> {
    fn drop(&mut self) {
        let Some(saved) = self.saved else { return };
        with(|thread| {
            thread.end_ordinary_strand();
            match self.boundary {
                Boundary::Begin => {
                    thread.come_back_to(self.fork.left_frame());
                    self.fork.move_on(thread);
                }
                Boundary::LeftEnd => thread.come_back_to(self.fork.right_frame_begun()),
            }
            if thread.records() {
                thread.record_lane_end(0);
            }
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
