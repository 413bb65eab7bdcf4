//! How a fork ends: its path goes on after the longer branch.

use super::{Apart, Folded, Fork, Framed, Stage};
use crate::path::frame::{Frame, Own};
use crate::path::log::Part;
use crate::path::to_end;
use crate::thread::{with, Thread, UNREAD};
use std::sync::atomic::Ordering;
use std::{mem, ptr};

impl Fork {
    /// Starts the continuation: both branches have ended, and `thread`, the forking one, is at the
    /// last boundary.
    #[inline(always)]
    pub(super) fn close(&self, thread: &Thread) {
        // SAFETY: both branches have ended, so this thread has the parent's frame to itself; the
        // runtime's latch ordered what the branches wrote before this.
        let parent = unsafe { &mut *self.parent };
        thread.restore((self.parent, self.base & !UNREAD));
        let mut apart = false;
        if self.is_folded {
            // SAFETY: the fork is folded, and both branches have ended, so nobody writes what it
            // keeps any more.
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
                parent.add_top(self.node, parent.executed.work - self.work);
            }
            if self.in_stretch {
                thread.stand_at(self.parent, self.from);
            }
        } else {
            self.close_framed(thread, parent);
        }
        if thread.records() {
            // SAFETY: both branches have ended, so the frame is alive and this thread's alone. The
            // reference is a new one, since `stand_at` may have come to the frame by its pointer.
            self.record_end(thread, unsafe { &*self.parent }, apart);
        }
        thread.continue_strand();
        self.stage.set(Stage::Closed);
    }

    /// Returns the ticks of the fork's own strands off its longest path.
    #[inline(always)]
    fn close_folded(&self, parent: &mut Frame) -> i64 {
        // SAFETY: the fork is folded, and both branches have ended, so nobody else refers to what
        // it keeps.
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

    /// The greatest uncertainty (`open`) may be that of either branch.
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
        // SAFETY: `right_frame_apart` stored the pointer of a box, and null has just taken its
        // place: it is taken once.
        let apart = (!apart.is_null()).then(|| unsafe { Box::from_raw(apart) });
        let left = mem::replace(&mut folded.left_frame, ptr::null_mut());
        // SAFETY: `put_aside` stored the pointer of a box, and null has just taken its place: it is
        // taken once.
        let left = (!left.is_null()).then(|| unsafe { Box::from_raw(left) });
        let mut open = parent.open.get();
        let mut own = parent.own();
        match &apart {
            Some(apart) => {
                parent.executed += apart.right.executed;
                own = apart.right.own();
                burdened = burdened.max(apart.right.burdened());
                depth = apart.right.depth;
                let (begin, end) = (apart.origin.open.get(), apart.right.open.get());
                if self.in_stretch {
                    // How long the stretch took in which the fork began was not known when the
                    // right branch started.
                    to_end::open_everywhere((open - begin).max(0));
                    open += end - begin;
                } else {
                    open = open.max(end);
                }
            }
            None => burdened = burdened.max(parent.burdened()),
        }
        let known = self.keeps_own.then(|| {
            // SAFETY: a fork that keeps own strands has written `own_at` when it began, and
            // `own_left` at the end of the left branch.
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
            // A long strand found while the thread waited (`Measured::long_strand`) is only in the position.
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
        // SAFETY: a fork that is not folded has made both frames when it began, and both branches
        // have ended, so nobody else refers to them.
        let Framed { left, right } = unsafe { &mut *self.framed() };
        let before = parent.depth;
        let burdened = left.burdened().max(right.burdened());
        let node = left.node;
        parent.open.set(left.open.get().max(right.open.get()));
        let mut executed = left.executed;
        executed += right.executed;
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
            top_work: if self.top { executed.work } else { 0 },
            ..Part::default()
        };
        parent.continue_after(longest, ended);
        parent.executed += executed;
        parent.set_burdened(burdened);
        for frame in [ptr::from_mut(left), ptr::from_mut(right)] {
            // SAFETY: both branches have ended, so nobody looks at their frames any more; and a
            // fork closes once (`stage`), so they are not dropped again.
            unsafe { Frame::drop_spent(frame) };
        }
    }

    /// Ends the fork; nothing may touch it after this.
    #[inline(always)]
    pub(super) fn end(&self) {
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
            // The session is over, and what the frames hold is of no use any more: it is left where
            // the fork was.
            self.stage.set(Stage::Closed);
        }
    }
}
