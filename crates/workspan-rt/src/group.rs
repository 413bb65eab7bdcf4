//! Tasks that are awaited together: those of a scope, and those of a broadcast.

use crate::call::Call;
use crate::effort::Effort;
use crate::frame::Frame;
use crate::log::Part;
use crate::longest::Longest;
use crate::record::{Beginning, Item, NOWHERE};
use crate::task::{Awaited, Seed, Task};
use crate::thread::{with, Saved, Thread};
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// The account of a construct that awaits any number of tasks.
pub struct Group {
    parent: *mut Frame,
    thread: *const Thread,
    /// Stack address at which the task of the group began.
    base: usize,
    node: u32,
    top: bool,
    body: UnsafeCell<Frame>,
    longest: Longest,
    /// Its name in the record, and where it begins there.
    recorded: u64,
    begin: Beginning,
    /// Has any of it run on another thread than the one that began it? Relaxed: the runtime's latch orders whoever writes
    /// it before the group's end.
    elsewhere: AtomicBool,
}

// SAFETY: the body's frame is touched by the one thread that runs the body, and read while it is blocked; the
// parent's is blocked until the group ends; `Longest` is shared by its own lock. The runtime's latch orders
// the body and all tasks before the group's end.
unsafe impl Sync for Group {}

impl Group {
    /// Ends the running strand, lets `execute` run the group's body ([`Group::body`], at most once) and its
    /// tasks, and continues after the longest path. Every task must have ended when `execute` returns or
    /// unwinds. With the engine off, `execute` gets no group.
    ///
    /// # Panics
    /// When `execute` does; the account is closed all the same.
    pub fn run<R>(call: Call, execute: impl FnOnce(Option<&Group>) -> R) -> R {
        match Self::begin(&call) {
            Some(group) => {
                let end = End(&group);
                // SAFETY: `begin` has run on this thread, and the data of a thread is never freed.
                unsafe { (*group.thread).set_at(group.token()) };
                let result = execute(Some(&group));
                drop(end);
                result
            }
            None => execute(None),
        }
    }

    fn begin(call: &Call) -> Option<Self> {
        with(|thread| {
            if !thread.begins_here() {
                return None;
            }
            thread.end_ordinary_strand();
            let parent = thread.frame();
            // SAFETY: the present frame of this thread; from here to `end` it is blocked.
            let edge = thread.enter(unsafe { (*parent).node }, call);
            thread.cell(edge.node).count.add(1);
            let (mut recorded, mut begin) = (0, NOWHERE);
            if thread.records() {
                recorded = thread.recorder.new_name();
                let item = Item::Group {
                    group: recorded,
                    node: edge.node,
                };
                // SAFETY: as above.
                begin = thread.record_begin(unsafe { &*parent }, item);
            }
            // SAFETY: as above.
            unsafe { (*parent).effort.syncs += 1 };
            // SAFETY: the parent is blocked until the group has ended (`End`).
            let body = unsafe { Frame::after(parent, edge.node, 0) };
            Some(Self {
                parent,
                thread,
                base: thread.base(),
                node: edge.node,
                top: edge.top,
                body: UnsafeCell::new(body),
                longest: Longest::new(),
                recorded,
                begin,
                elsewhere: AtomicBool::new(false),
            })
        })
        .flatten()
    }

    fn token(&self) -> usize {
        ptr::from_ref(self) as usize | 1
    }

    /// Runs the body of a scope, which is part of the group's instance.
    pub fn body<R>(&self, body: impl FnOnce() -> R) -> R {
        let base = 0_usize;
        let saved = with(|thread| {
            thread.start_strand(self.token());
            if thread.records() {
                self.note(thread);
                thread.record(Item::Body {
                    group: self.recorded,
                    node: self.node,
                });
            }
            thread.adopt(self.body.get(), ptr::from_ref(&base) as usize)
        });
        let end = StrandEnd { group: self, saved };
        let result = body();
        drop(end);
        result
    }

    /// A task that the running strand spawns into the group. `None` with the engine off.
    pub fn spawn(&self, call: Call) -> Option<Task> {
        Seed::new(self.node, call, Awaited::By(self), 1).map(|seed| seed.task())
    }

    /// What is needed to make tasks later that the running strand spawns into the group now, one on each
    /// thread of a pool.
    pub fn seed(&self, call: Call) -> Option<Seed> {
        Seed::new(self.node, call, Awaited::By(self), 0)
    }

    /// One of the tasks of a broadcast: part of the group's own instance, and beginning with it.
    pub fn member(&self) -> Option<Task> {
        with(|thread| {
            thread.refresh();
            thread.cell(self.node).broadcast_tasks.add(1);
            self.count_spawn();
            Task::member(self)
        })
    }

    /// Its name in the record.
    pub(crate) fn recorded(&self) -> u64 {
        self.recorded
    }

    /// Notes that `thread` runs a part of the group.
    pub(crate) fn note(&self, thread: &Thread) {
        if !ptr::eq(thread, self.thread) {
            self.elsewhere.store(true, Ordering::Relaxed);
        }
    }

    /// The position at which the group begins in the record of `thread`; 0 if it began elsewhere.
    pub(crate) fn position_on(&self, thread: &Thread) -> u64 {
        if ptr::eq(thread, self.thread) {
            self.begin.position
        } else {
            0
        }
    }

    /// Counts a task that the group awaits.
    pub(crate) fn count_spawn(&self) {
        self.longest.add(Effort {
            spawns: 1,
            ..Effort::default()
        });
    }

    /// The frame of a member.
    pub(crate) fn member_frame(&self, burden: i64) -> Frame {
        // SAFETY: the parent is blocked until the group has ended, and its members before it.
        unsafe { Frame::after(self.parent, self.node, burden) }
    }

    /// The thread that began the group.
    pub(crate) fn spawner(&self) -> *const Thread {
        self.thread
    }

    /// Awaits the path of a task that has ended.
    pub(crate) fn offer(&self, frame: Frame) {
        self.longest.add(frame.effort);
        self.longest.offer(frame);
    }

    /// The same of a member.
    pub(crate) fn offer_member(&self, frame: Frame) {
        self.longest.add_own(frame.own().branch);
        self.offer(frame);
    }

    /// Ticks of own strands of the group on the path up to the present strand of `frame`, where a task is spawned into it.
    ///
    /// # Safety
    /// `frame` must be alive, and its parents blocked.
    pub(crate) unsafe fn own_at(&self, frame: *const Frame) -> i64 {
        let mut here = frame;
        loop {
            // SAFETY: the caller's promise.
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
                // A task of the group, which was spawned at such a point itself.
                return now.awaited_own;
            } else {
                // SAFETY: a group outlives its tasks, of which this is one; its parent is blocked meanwhile.
                unsafe { (*awaited_by).parent }
            };
        }
    }

    fn end(&self) {
        with(|thread| {
            thread.start_strand_after_wait();
            // SAFETY: the body and all tasks have ended, so this thread has the frames to itself; the runtime's
            // latch ordered what they wrote before this.
            let (parent, body) = unsafe { (&mut *self.parent, &mut *self.body.get()) };
            let before = parent.depth;
            let (longest, burdened, open) = self.longest.take();
            let burdened = body.burdened().max(burdened);
            parent.open.set(body.open.get().max(open));
            let (tasks, members_own) = self.longest.take_effort();
            let mut effort = body.effort;
            effort += tasks;
            let mut on_path = body.own().branch;
            // A broadcast has no body: its frame is that of an instance in which nothing ran.
            let mut member = None;
            match longest {
                Some(task) if ptr::eq(task.parent, parent) => {
                    on_path = task.own().branch;
                    member = Some(task);
                }
                Some(mut task) if task.depth > body.depth => {
                    on_path = task.awaited_own;
                    let ended = task.ended();
                    body.continue_after(&mut task, ended);
                }
                _ => {}
            }
            let beside = members_own + body.own().branch - on_path;
            let longest = member.as_mut().unwrap_or(body);
            if self.top {
                thread.record_top(self.node, longest.depth - before, longest, parent.origin());
            }
            thread.cell(self.node).beside.add(beside);
            parent.continue_after(
                longest,
                Part {
                    beside,
                    top_count: u64::from(self.top),
                    top_work: if self.top { effort.work } else { 0 },
                    ..Part::default()
                },
            );
            parent.effort += effort;
            parent.set_burdened(burdened);
            if thread.records() {
                if self.elsewhere.load(Ordering::Relaxed) {
                    thread.record_end_elsewhere(Item::GroupEnd);
                } else {
                    thread.record_end(&self.begin, parent, Some(self.node), Item::GroupEnd);
                }
            }
            thread.set_at(self.base);
        });
    }
}

struct End<'a>(&'a Group);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Ends a strand of a body, also when it unwinds.
struct StrandEnd<'a> {
    group: &'a Group,
    saved: Option<Saved>,
}

impl Drop for StrandEnd<'_> {
    fn drop(&mut self) {
        if let Some(saved) = self.saved {
            with(|thread| {
                thread.end_ordinary_strand();
                thread.come_back_to(self.group.body.get());
                if thread.records() {
                    thread.record_lane_end(self.group.position_on(thread));
                }
                thread.restore(saved);
            });
        }
    }
}
