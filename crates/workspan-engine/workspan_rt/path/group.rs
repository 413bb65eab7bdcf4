//! The account of a group.

use crate::path::beginning::Beginning;
use crate::path::executed::Executed;
use crate::path::frame::Frame;
use crate::path::identity::Identity;
use crate::path::longest::Longest;
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// The account of a construct that awaits any number of tasks.
pub struct Group {
    pub(crate) parent: *mut Frame,
    pub(crate) thread: Identity,
    /// Stack address at which the task of the group began.
    pub(crate) base: usize,
    pub(crate) node: u32,
    pub(crate) top: bool,
    pub(crate) body: UnsafeCell<Frame>,
    pub(crate) longest: Longest,
    /// Its name in the record, and where it begins there.
    pub(crate) recorded: u64,
    pub(crate) begin: Beginning,
    /// Has any of it run on a thread other than the one that began it? Relaxed: the runtime's latch
    /// orders whoever writes it before the group's end.
    pub(crate) elsewhere: AtomicBool,
}

// SAFETY: only `constructs/group.rs` gives a thread the frames `body` and `parent` to write: the
// body's to the one thread that runs the body, and both to the one that ends the group, after the
// runtime's latch has ordered the body and all tasks before. Until then the parent's is blocked;
// others only read it (`member_frame`), or the body's while that is blocked (`own_at`). `Longest`
// has its own lock, `elsewhere` is atomic, and the rest never changes.
unsafe impl Sync for Group {}

impl Group {
    pub(crate) fn token(&self) -> usize {
        ptr::from_ref(self) as usize | 1
    }

    /// Its name in the record.
    pub(crate) fn recorded(&self) -> u64 {
        self.recorded
    }

    /// Notes that `thread` runs a part of the group.
    pub(crate) fn note(&self, thread: Identity) {
        if thread != self.thread {
            self.elsewhere.store(true, Ordering::Relaxed);
        }
    }

    /// The position at which the group begins in the record of `thread`; 0 if it began elsewhere.
    pub(crate) fn position_on(&self, thread: Identity) -> u64 {
        if thread == self.thread {
            self.begin.position
        } else {
            0
        }
    }

    /// Counts a task that the group awaits.
    pub(crate) fn count_spawn(&self) {
        self.longest.add(Executed {
            spawns: 1,
            ..Executed::default()
        });
    }

    /// The frame of a member.
    pub(crate) fn member_frame(&self, burden: i64) -> Frame {
        // SAFETY: the parent is in place and blocked until the group has ended, and its members end
        // before that.
        unsafe { Frame::after(self.parent, self.node, burden) }
    }

    /// The thread that began the group.
    pub(crate) fn spawner(&self) -> Identity {
        self.thread
    }

    /// Adds the path of an ended task to those that the group awaits.
    pub(crate) fn offer(&self, frame: Frame) {
        self.longest.add(frame.executed);
        self.longest.offer(frame);
    }

    /// [`Group::offer`] for a member.
    pub(crate) fn offer_member(&self, frame: Frame) {
        self.longest.add_own(frame.own().branch);
        self.offer(frame);
    }

    /// Ticks of the group's own strands on the path up to the present strand of `frame`, where a
    /// task is spawned into the group.
    ///
    /// # Safety
    /// `frame` must be alive, and its parents blocked, while this runs; the calling thread runs its
    /// strands.
    pub(crate) unsafe fn own_at(&self, frame: *const Frame) -> i64 {
        let mut here = frame;
        loop {
            // SAFETY: `frame` is alive and its parents are blocked (`# Safety`), and so are the
            // frames that tasks around it were spawned from, so nobody writes what is read.
            let now = unsafe { &*here };
            if ptr::eq(here, self.body.get()) {
                return now.own().branch;
            }
            let awaited_by = now.awaited_by.cast::<Self>();
            here = if !now.parent.is_null() {
                now.parent
            } else if awaited_by.is_null() {
                return 0;
            } else if ptr::eq(awaited_by, self) {
                // A task of the group, itself spawned at such a point.
                return now.awaited_own;
            } else {
                // SAFETY: of a task that runs, `awaited_by` is null or a group (`Running::begin`),
                // which outlives its tasks and whose parent is blocked meanwhile; only ended tasks
                // have a frame's identity there.
                unsafe { (*awaited_by).parent }
            };
        }
    }
}
