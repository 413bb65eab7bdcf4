//! Tasks that are awaited together: those of a scope, and those of a broadcast.

use crate::call::Call;
use crate::frame::Frame;
use crate::longest::Longest;
use crate::segment::Chain;
use crate::session;
use crate::thread::{with, Saved, Thread};
use crate::tree;
use crate::user_thread;
use std::cell::UnsafeCell;
use std::mem;
use std::ptr;

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
            thread.adopt(self.body.get(), ptr::from_ref(&base) as usize)
        });
        let end = StrandEnd { saved };
        let result = body();
        drop(end);
        result
    }

    /// A task that the running strand spawns into the group. `None` with the engine off.
    pub fn spawn(&self, call: Call) -> Option<Task> {
        self.seed(call).map(Seed::into_task)
    }

    /// What is needed to make tasks later that the running strand spawns into the group now, one on each
    /// thread of a pool.
    pub fn seed(&self, call: Call) -> Option<Seed> {
        Seed::new(self.node, call, Awaited::By(self))
    }

    /// One of the tasks of a broadcast: part of the group's own instance, and beginning with it.
    pub fn member(&self) -> Option<Task> {
        with(|thread| {
            thread.refresh();
            thread.cell(self.node).broadcast_tasks.add(1);
            // SAFETY: the parent is blocked until the group has ended.
            let frame =
                unsafe { Frame::after(self.parent, self.node, thread.settings.get().burden) };
            Task {
                start: frame.depth,
                frame: UnsafeCell::new(frame),
                top: false,
                spawner: self.thread,
                awaited: Awaited::By(self),
            }
        })
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
            parent.open = body.open.max(open);
            match longest {
                // A broadcast has no body: its frame is that of an instance in which nothing ran.
                Some(mut task) if task.depth > body.depth || ptr::eq(task.parent, parent) => {
                    if ptr::eq(task.parent, parent) {
                        parent.continue_after(&mut task);
                    } else {
                        body.continue_after(&mut task);
                        parent.continue_after(body);
                    }
                }
                _ => parent.continue_after(body),
            }
            parent.set_burdened(burdened);
            thread.set_at(self.base);
            if self.top {
                let cell = thread.cell(self.node);
                cell.top_count.add(1);
                cell.top_span.add(parent.depth - before);
            }
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
struct StrandEnd {
    saved: Option<Saved>,
}

impl Drop for StrandEnd {
    fn drop(&mut self) {
        if let Some(saved) = self.saved {
            with(|thread| {
                thread.end_ordinary_strand();
                thread.restore(saved);
            });
        }
    }
}

/// Where and when tasks were spawned that have yet to be made.
pub struct Seed {
    chain: Chain,
    depth: i64,
    burdened: i64,
    open: i64,
    node: u32,
    top: bool,
    spawner: *const Thread,
    awaited: Awaited,
}

/// Who awaits a task.
#[derive(Clone, Copy)]
enum Awaited {
    /// A group, which outlives it.
    By(*const Group),
    /// The end of the program.
    Detached,
    /// The thread that joins it: it is a thread of the program.
    Joined,
}

// SAFETY: the chain is shared by its own protocol; the group is `Sync` and outlives its tasks; the spawner's
// data is only compared by address.
unsafe impl Send for Seed {}
// SAFETY: as above.
unsafe impl Sync for Seed {}

impl Seed {
    fn new(node: u32, call: Call, awaited: Awaited) -> Option<Self> {
        with(|thread| {
            if !thread.begins_here() {
                return None;
            }
            thread.end_strand(thread.settings.get().spawn_cost);
            let frame = thread.frame();
            let edge = thread.enter(node, &call);
            // SAFETY: the present frame of this thread, whose parents are blocked.
            let (chain, frame) = unsafe { ((*frame).freeze(), &*frame) };
            thread.continue_strand();
            Some(Self {
                chain,
                depth: frame.depth,
                burdened: frame.burdened() + thread.settings.get().burden,
                open: frame.open,
                node: edge.node,
                top: edge.top,
                spawner: thread,
                awaited,
            })
        })
        .flatten()
    }

    /// What is needed to make detached tasks later.
    pub fn detached(call: Call) -> Option<Self> {
        Self::new(tree::ROOT, call, Awaited::Detached)
    }

    /// One task of many.
    pub fn instance(&self) -> Task {
        Seed {
            chain: self.chain.clone(),
            ..*self
        }
        .into_task()
    }

    fn into_task(self) -> Task {
        let frame = Frame::at(self.depth, self.burdened, self.open, self.node, self.chain);
        if matches!(self.awaited, Awaited::Detached) {
            session::begin_detached();
        }
        Task {
            start: self.depth,
            frame: UnsafeCell::new(frame),
            top: self.top,
            spawner: self.spawner,
            awaited: self.awaited,
        }
    }
}

/// One task: run it once, on any thread.
pub struct Task {
    frame: UnsafeCell<Frame>,
    start: i64,
    top: bool,
    spawner: *const Thread,
    awaited: Awaited,
}

// SAFETY: a task is handed from its spawner to the thread that runs it, through the runtime's queue; for the
// pointers see `Seed`.
unsafe impl Send for Task {}

impl Task {
    /// A detached task that the running strand spawns: nobody awaits it but the end of the program.
    pub fn detached(call: Call) -> Option<Self> {
        Seed::detached(call).map(Seed::into_task)
    }

    /// A thread that the running strand starts: it is awaited by whoever joins it.
    pub(crate) fn thread(call: Call) -> Option<Self> {
        Seed::new(tree::ROOT, call, Awaited::Joined).map(Seed::into_task)
    }

    /// Runs `body` as the task.
    ///
    /// # Panics
    /// When `body` does; the account is closed all the same.
    pub fn run<R>(self, body: impl FnOnce() -> R) -> R {
        let base = 0_usize;
        let saved = with(|thread| {
            thread.start_strand_after_wait();
            // SAFETY: written by the spawner, before the hand-over.
            let cell = thread.cell(unsafe { (*self.frame.get()).node });
            // A member of a broadcast is part of an instance that was counted when it began.
            if !self.is_member() {
                cell.count.add(1);
            }
            if matches!(self.awaited, Awaited::Joined) {
                thread.is_user_thread.set(true);
            } else if !ptr::eq(thread, self.spawner) {
                cell.stolen.add(1);
            }
            thread.adopt(self.frame.get(), ptr::from_ref(&base) as usize)
        });
        let end = TaskEnd { task: &self, saved };
        let result = body();
        drop(end);
        result
    }

    fn is_member(&self) -> bool {
        // SAFETY: `parent` is set once, when the frame is made.
        !unsafe { (*self.frame.get()).parent }.is_null()
    }
}

/// Ends a task, also when it unwinds.
struct TaskEnd<'a> {
    task: &'a Task,
    saved: Option<Saved>,
}

impl Drop for TaskEnd<'_> {
    fn drop(&mut self) {
        let Some(saved) = self.saved else { return };
        with(|thread| {
            thread.end_ordinary_strand();
            thread.restore(saved);
            // SAFETY: the task has ended, so its frame is nobody else's; a spent one takes its place.
            let frame = unsafe {
                mem::replace(
                    &mut *self.task.frame.get(),
                    Frame::at(0, 0, 0, tree::ROOT, Chain::default()),
                )
            };
            if self.task.top {
                let cell = thread.cell(frame.node);
                cell.top_count.add(1);
                cell.top_span.add(frame.depth - self.task.start);
            }
            match self.task.awaited {
                // SAFETY: a group outlives its tasks.
                Awaited::By(group) => unsafe { (*group).longest.offer(frame) },
                Awaited::Detached => session::end_detached(frame),
                Awaited::Joined => user_thread::end(frame, self.task.spawner),
            }
        });
    }
}
