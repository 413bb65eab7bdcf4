//! The branches of a fork: where they run, and how they end.

use super::{Apart, Boundary, Fork, Stage};
use crate::path::frame::{Frame, Own, Position};
use crate::path::log::Part;
use crate::thread::{self, with, Saved, Thread, BOUNDARY, UNREAD};
use crate::tree::kinds::{End, Kind};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::Ordering;

impl Fork {
    /// Ends a left branch that was entered right at the fork.
    #[inline(always)]
    pub(super) fn end_left(&self) {
        let thread = self.thread();
        let Some(at) = self.unread(thread) else {
            return self.end_left_reading();
        };
        let stretch = &thread.stretch;
        let folded = self.folded();
        // SAFETY: the fork has begun in a stretch, so it is folded. While the left branch runs,
        // nobody else writes what it keeps but `apart`, an atomic.
        unsafe {
            // The start of a thief that comes later is the latest that this branch can have ended.
            // One has started already, so the clock must be read here.
            if !(*folded).apart.load(Ordering::Relaxed).is_null() {
                return self.end_left_reading();
            }
            stretch.end_strand(stretch.take_strand(Kind::of(End::Branch, at & BOUNDARY != 0)));
            ptr::addr_of_mut!((*folded).left).write(stretch.position());
            stretch.set_position(self.right_position(thread, (*folded).at));
        }
        thread.set_at(self.at(Boundary::LeftEnd) | UNREAD);
    }

    /// Ends a left branch with a reading of the clock.
    #[inline(never)]
    fn end_left_reading(&self) {
        if !self.end_left_timed() {
            self.end_left_outside();
        }
    }

    /// Ends a left branch in the timed stretch in which the fork began. Returns whether it did.
    #[inline(always)]
    fn end_left_timed(&self) -> bool {
        let (thread, folded) = (self.thread(), self.folded());
        if !self.is_timed(thread) {
            return false;
        }
        let stretch = &thread.stretch;
        // SAFETY: the fork has begun in a timed stretch, so it is folded, and `own_at` is written.
        // While the left branch runs, nobody else writes what it keeps but `apart`, an atomic.
        unsafe {
            if !(*folded).apart.load(Ordering::Relaxed).is_null() {
                return false;
            }
            let Some(strand) = thread.end_timed_strand() else {
                return false;
            };
            stretch.end_strand(strand);
            ptr::addr_of_mut!((*folded).left).write(stretch.position());
            ptr::addr_of_mut!((*folded).own_left).write(MaybeUninit::new(stretch.own()));
            stretch.set_own((*folded).own_at.assume_init_read().of_branch());
            stretch.set_position(self.right_position(thread, (*folded).at));
        }
        thread.set_at(self.at(Boundary::LeftEnd));
        // If the right branch is stolen, the thread waits from here on.
        thread.running.store(false, Ordering::Relaxed);
        true
    }

    /// Whether the fork has begun in a timed stretch, which is still open.
    #[inline(always)]
    fn is_timed(&self, thread: &Thread) -> bool {
        thread.stretch.is_timed()
            && self.stage.get() == Stage::InStretch
            // No serial instance in the branch is still open.
            && ptr::eq(thread.present(), self.parent)
    }

    #[inline(never)]
    fn end_left_outside(&self) {
        thread::guarded(self.thread(), |thread| {
            let stretch = &thread.stretch;
            if stretch.is_open() && stretch.opener() == self.at(Boundary::Begin) {
                thread.close_stretch();
            } else {
                thread.end_strand_of_branch(End::Branch);
            }
            stretch.end_measured(self.at(Boundary::Begin));
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
                let kinds = &thread.cell(self.node).kinds;
                stretch.consider(at, left, &thread.settings.get(), kinds);
            }
        });
    }

    /// Moves the thread, which has ended the left branch, on to the right one. If that is stolen,
    /// this thread waits there. It is not running then, so that does no harm.
    pub(super) fn move_on(&self, thread: &Thread) {
        self.stage.set(Stage::LeftEnded);
        if !self.is_folded {
            // SAFETY: a fork that is not folded has frames; only the address of one is taken.
            let right = unsafe { ptr::addr_of_mut!((*self.framed()).right) };
            thread.adopt(right, ptr::from_ref(self) as usize);
            return;
        }
        // SAFETY: the left branch has ended, so this thread has the parent's frame to itself; a
        // thief reads no more of it than what never changes, and an atomic.
        let (frame, folded) = unsafe { (&mut *self.parent, self.folded()) };
        // SAFETY: `left` is this thread's to write, and `at` has not changed since the fork. No
        // reference to the whole is made, since a thief may be storing `apart`.
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
            // SAFETY: a fork that keeps own strands has written `own_at` when it began, and
            // `own_left` is written by the thread that runs the left branch, which is this one.
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
        // SAFETY: the fork is folded, and `left_frame` is touched by the thread that runs the left
        // branch, which is this one, until that branch has ended.
        unsafe { ptr::addr_of_mut!((*self.folded()).left_frame).write(left) };
    }

    /// Ends a right branch that was entered right at the left branch's end.
    #[inline(always)]
    pub(super) fn end_right(&self) {
        let thread = self.thread();
        let Some(at) = self.unread(thread) else {
            return self.end_right_reading();
        };
        let stretch = &thread.stretch;
        stretch.end_strand(stretch.take_strand(Kind::of(End::Branch, at & BOUNDARY != 0)));
        let longest = self.end_in_stretch(thread);
        if self.stage.get() == Stage::Across {
            // SAFETY: the fork has begun in a stretch, so it is folded; both branches have ended on
            // this thread, so nobody writes what it keeps.
            let begin = unsafe { (*self.folded()).at };
            let part = Part {
                count: longest.count - begin.count,
                local: longest.depth - begin.depth,
                ..Part::default()
            };
            self.go_back(thread, part);
        }
        self.stage.set(Stage::Closed);
    }

    /// The path of the stretch, which has just ended the right branch, goes on after the longer
    /// one. Returns where that ended.
    #[inline(always)]
    fn end_in_stretch(&self, thread: &Thread) -> Position {
        let stretch = &thread.stretch;
        // SAFETY: the fork has begun in a stretch, so it is folded; both branches have ended on
        // this thread, so nobody writes what it keeps.
        let left = unsafe { (*self.folded()).left };
        let right = stretch.position();
        let burdened = left.burdened().max(right.burdened());
        let longest = right.longer(left);
        stretch.set_position(Position {
            ahead: burdened - longest.depth,
            ..longest
        });
        thread.set_at(self.base);
        longest
    }

    /// Ends a right branch with a reading of the clock.
    #[inline(never)]
    fn end_right_reading(&self) {
        if !self.end_right_timed() {
            self.end_right_outside();
        }
    }

    /// Ends a right branch in the timed stretch in which the fork began. Returns whether it did.
    #[inline(always)]
    fn end_right_timed(&self) -> bool {
        let thread = self.thread();
        if !self.is_timed(thread) {
            return false;
        }
        let Some(strand) = thread.end_timed_strand() else {
            return false;
        };
        let stretch = &thread.stretch;
        stretch.end_strand(strand);
        // SAFETY: as in `end_in_stretch`.
        let left = unsafe { (*self.folded()).left };
        let right_is_longer = stretch.position().depth > left.depth;
        let (after, lost) = self.own_after(right_is_longer, stretch.own());
        stretch.set_own(after);
        stretch.lose(lost);
        self.end_in_stretch(thread);
        self.stage.set(Stage::Closed);
        true
    }

    /// Own strands after a folded fork that keeps account of them, and whose branches have both
    /// ended, the right one with `right`; and the ticks of the fork's own strands off its longest
    /// path.
    #[inline(always)]
    pub(super) fn own_after(&self, right_is_longer: bool, right: Own) -> (Own, i64) {
        // SAFETY: callers have seen that the fork keeps own strands, so it has written `own_at`
        // when it began, and `own_left` at the end of the left branch. Nobody writes either any
        // more.
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
        thread::guarded(thread, |thread| {
            let stretch = &thread.stretch;
            // The writer of the profile may have ended the stretch meanwhile.
            if stretch.is_open() {
                if self.top {
                    stretch.end_top(self.begun);
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
        thread::guarded(self.thread(), |thread| {
            let stretch = &thread.stretch;
            if stretch.is_open() && stretch.opener() == self.at(Boundary::LeftEnd) {
                thread.close_stretch();
            } else {
                thread.end_strand_of_branch(End::Branch);
            }
            stretch.end_measured(self.at(Boundary::LeftEnd));
            if self.in_stretch {
                stretch.expect_nothing();
            } else {
                stretch.expect(thread.last.get() - self.begun);
            }
            thread.come_back_to(self.right_frame());
            self.close(thread);
        });
    }

    /// Runs a branch that starts at a boundary of its own, or without the engine.
    #[cold]
    #[inline(never)]
    pub(super) fn run_slowly<R>(&self, boundary: Boundary, branch: impl FnOnce() -> R) -> R {
        let base = 0_usize;
        let saved = with(|thread| {
            thread.start_strand_after_wait();
            let frame = match boundary {
                Boundary::Begin => self.left_frame(),
                Boundary::LeftEnd => self.right_frame_apart(thread),
            };
            if matches!(boundary, Boundary::LeftEnd) && !ptr::eq(thread, self.thread) {
                // SAFETY: the branch's frame lives until the fork ends, and its `node` never
                // changes.
                thread.cell(unsafe { (*frame).node }).stolen.add(1);
            }
            if thread.records() {
                self.record_lane(thread, boundary);
            }
            // A boundary of no fork, but its first strand begins a branch.
            let at = ptr::from_ref(&base) as usize | Boundary::Begin as usize;
            let saved = thread.adopt(frame, at);
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

    /// The frame in which the left branch runs.
    pub(super) fn left_frame(&self) -> *mut Frame {
        if self.is_folded {
            self.parent
        } else {
            // SAFETY: a fork that is not folded has frames; only the address of one is taken.
            unsafe { ptr::addr_of_mut!((*self.framed()).left) }
        }
    }

    /// The frame in which the right branch runs on the forking thread.
    fn right_frame(&self) -> *mut Frame {
        if self.is_folded {
            self.parent
        } else {
            // SAFETY: a fork that is not folded has frames; only the address of one is taken.
            unsafe { ptr::addr_of_mut!((*self.framed()).right) }
        }
    }

    /// The frame of a right branch that began while the forking strand was elsewhere.
    fn right_frame_begun(&self) -> *mut Frame {
        if !self.is_folded {
            return self.right_frame();
        }
        // SAFETY: the fork is folded, and this thread has stored `apart` when it began the branch
        // (`right_frame_apart`); the box is freed only when the fork ends.
        unsafe {
            let apart = (*self.folded()).apart.load(Ordering::Relaxed);
            ptr::addr_of_mut!((*apart).right)
        }
    }

    /// The frame in which the right branch runs on `thread` while the forking strand is elsewhere.
    fn right_frame_apart(&self, thread: &Thread) -> *mut Frame {
        if !self.is_folded {
            // SAFETY: a fork that is not folded has frames; only the address of one is taken.
            return unsafe { ptr::addr_of_mut!((*self.framed()).right) };
        }
        let since = match thread.settings.get().clock {
            // Clocks of two threads cannot be compared.
            clock if clock.is_of_thread() => i64::MAX,
            _ => thread.last.get(),
        };
        // SAFETY: the fork is folded: `at` and `own_at` were written before the branch was offered
        // and do not change, and `apart` is this branch's to set. The parent's frame lives until
        // the fork ends, and `origin` as long as `right`, in one box.
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
            // Release: the forking thread may look at `since` before the runtime's latch orders the
            // rest.
            (*folded).apart.store(apart, Ordering::Release);
            right
        }
    }
}

/// Ends a branch that was entered on the slow path, also when it unwinds.
struct BranchEnd<'a> {
    fork: &'a Fork,
    boundary: Boundary,
    saved: Option<Saved>,
}

impl Drop for BranchEnd<'_> {
    fn drop(&mut self) {
        let Some(saved) = self.saved else { return };
        with(|thread| {
            thread.end_strand_of_branch(End::Branch);
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
