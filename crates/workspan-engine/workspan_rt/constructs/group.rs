//! Tasks that are awaited together: those of a scope, and those of a broadcast.

use crate::constructs::task::{Seed, Task};
use crate::path::beginning::NOWHERE;
use crate::path::frame::Frame;
use crate::path::group::Group;
use crate::path::log::Part;
use crate::path::longest::Longest;
use crate::path::spawn_point::Awaited;
use crate::record::Item;
use crate::thread::{self, with, Saved};
use crate::tree::call::Call;
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

impl Group {
    /// Ends the running strand, lets `execute` run the group's body ([`Group::body`], at most once)
    /// and its tasks, and continues after the longest path. Every task must have ended when
    /// `execute` returns or unwinds. With the engine off, `execute` gets no group.
    ///
    /// # Panics
    /// If `execute` does; the account is closed all the same.
    pub fn run<R>(call: Call, execute: impl FnOnce(Option<&Group>) -> R) -> R {
        match Self::begin(&call) {
            Some(group) => {
                let end = End(&group);
                // SAFETY: `begin` has found this thread's data, so there are some, and they are
                // never freed.
                unsafe { (*thread::current()).set_at(group.token()) };
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
            // SAFETY: the present frame of this thread is alive, and `node` never changes.
            let edge = thread.enter(unsafe { (*parent).node }, call);
            thread.cell(edge.node).count.add(1);
            let (mut recorded, mut begin) = (0, NOWHERE);
            if thread.records() {
                recorded = thread.recorder.new_name();
                let item = Item::Group {
                    group: recorded,
                    node: edge.node,
                };
                // SAFETY: the present frame of this thread is alive, and only this thread writes
                // it.
                begin = thread.record_begin(unsafe { &*parent }, item);
            }
            // SAFETY: the present frame of this thread is alive, only this thread writes it, and no
            // reference to it is held.
            unsafe { (*parent).executed.syncs += 1 };
            // SAFETY: the parent is this thread's present frame, in place and blocked until `End`
            // ends the group, and the body's frame is not used after that.
            let body = unsafe { Frame::after(parent, edge.node, 0) };
            Some(Self {
                parent,
                thread: thread.identity(),
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

    /// Runs the body of a scope, which is part of the group's instance.
    pub fn body<R>(&self, body: impl FnOnce() -> R) -> R {
        let base = 0_usize;
        let saved = with(|thread| {
            thread.start_strand(self.token());
            if thread.records() {
                self.note(thread.identity());
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

    /// What is needed to make tasks later as if the running strand spawned them into the group now,
    /// one on each thread of a pool.
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

    fn end(&self) {
        with(|thread| {
            thread.start_strand_after_wait();
            // SAFETY: the body and all tasks have ended, so this thread has the frames to itself;
            // the runtime's latch ordered what they wrote before this.
            let (parent, body) = unsafe { (&mut *self.parent, &mut *self.body.get()) };
            let before = parent.depth;
            let (longest, burdened, open) = self.longest.take();
            let burdened = body.burdened().max(burdened);
            parent.open.set(body.open.get().max(open));
            let (tasks, members_own) = self.longest.take_executed();
            let mut executed = body.executed;
            executed += tasks;
            let mut on_path = body.own().branch;
            // A broadcast has no body: its frame belongs to an instance in which nothing ran.
            let mut member = None;
            match longest {
                Some(task) if ptr::eq(task.parent, parent) => {
                    on_path = task.own().branch;
                    member = Some(task);
                }
                Some(mut task) if task.depth > body.depth => {
                    on_path = task.awaited_own;
                    let ended = task.ended();
                    task.begin_at_chain();
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
                    top_work: if self.top { executed.work } else { 0 },
                    ..Part::default()
                },
            );
            parent.executed += executed;
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

/// Ends a strand of a body when dropped, also by unwinding.
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
                    thread.record_lane_end(self.group.position_on(thread.identity()));
                }
                thread.restore(saved);
            });
        }
    }
}
