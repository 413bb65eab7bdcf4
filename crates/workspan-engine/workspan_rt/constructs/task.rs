//! Spawned tasks, which may outlive the call that spawned them.
//!
//! A task that waits to run is a pointer and a number. What it shares with the tasks spawned at the
//! same place by the same strand, or by the strands right after it, is kept once, in a [`Point`].

use crate::constructs::user_thread;
use crate::path::frame::Frame;
use crate::path::group::Group;
use crate::path::segment::Chain;
use crate::path::spawn_point::{Awaited, Point};
use crate::path::to_end;
use crate::record::{self, Bulk, Figures, Item};
use crate::state::under_way;
use crate::thread::{with, Saved, Thread};
use crate::tree;
use crate::tree::call::Call;
use crate::tree::kinds::End;
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::Arc;

impl Awaited {
    /// The name in the record of whoever awaits a task, and the position at which that begins in
    /// the record of `thread`; 0 if it begins elsewhere.
    fn recorded(self, thread: &Thread) -> (u64, u64) {
        match self {
            // SAFETY: the group lives until all its tasks have ended, and who spawns is its body or
            // one of them.
            Awaited::By(group) => unsafe {
                let group = &*group;
                let name = record::AWAITED_BY_GROUP + group.recorded();
                (name, group.position_on(thread.identity()))
            },
            Awaited::Detached => (record::AWAITED_BY_END, 0),
            Awaited::Joined => (record::AWAITED_BY_JOINER, 0),
        }
    }
}

impl Point {
    /// Records that tasks of `node` are spawned here. Returns the point's name.
    fn recorded(thread: &Thread, node: u32, awaited: Awaited) -> u64 {
        if !thread.records() {
            return 0;
        }
        let point = thread.recorder.new_name();
        let (awaited, from) = awaited.recorded(thread);
        thread.record(Item::Point {
            point,
            awaited,
            node,
        });
        thread.recorder.obstruct(from);
        point
    }
}

/// Where and when tasks yet to be made were spawned: a point, and the ticks since then.
#[derive(Clone)]
pub struct Seed {
    point: Arc<Point>,
    later: u32,
}

impl Seed {
    /// What is needed to make tasks of a `call` at `node`. Counts `tasks` of them for the running
    /// strand.
    pub(crate) fn new(node: u32, call: Call, awaited: Awaited, tasks: i64) -> Option<Self> {
        with(|thread| {
            if !thread.begins_here() {
                return None;
            }
            thread.end_strand(thread.settings.get().spawn_cost);
            let edge = thread.enter(node, &call);
            // SAFETY: the present frame is alive, and only this thread, which runs its strands,
            // writes it.
            let frame = unsafe { &mut *thread.frame() };
            frame.executed.spawns += tasks;
            let seed = Self::shared(thread, frame, edge.node, awaited).unwrap_or_else(|| {
                // SAFETY: this thread runs the frame's strands, so its parents are blocked.
                let chain = unsafe { frame.freeze() };
                let awaited_own = match awaited {
                    // SAFETY: the group lives until all its tasks have ended, and who spawns is its
                    // body or one of them; `frame` is alive, and its parents are blocked.
                    Awaited::By(group) => unsafe { (*group).own_at(frame) },
                    Awaited::Detached | Awaited::Joined => 0,
                };
                let point = Arc::new(Point {
                    chain,
                    depth: frame.depth,
                    burdened: frame.burdened() + thread.settings.get().burden,
                    open: frame.open.get(),
                    node: edge.node,
                    from: frame.node,
                    top: edge.top,
                    awaited_own,
                    spawner: thread.identity(),
                    awaited,
                    recorded: Point::recorded(thread, edge.node, awaited),
                    session: under_way::session_number(),
                });
                if thread.settings.get().grain > 0 {
                    thread.point.set(Some(point.clone()));
                }
                Self { point, later: 0 }
            });
            thread.continue_strand();
            Some(seed)
        })
        .flatten()
    }

    /// The last point at which this thread spawned, if that was just before: at most half the grain.
    fn shared(thread: &Thread, frame: &mut Frame, node: u32, awaited: Awaited) -> Option<Self> {
        let point = thread.point.take()?;
        let later = frame.depth - point.depth;
        if later.abs() > thread.settings.get().grain / 2 || !point.leads_to(frame, node, awaited) {
            return None;
        }
        thread.point.set(Some(point.clone()));
        if thread.records() {
            // A handoff may have begun between the two spawns.
            thread.recorder.obstruct(awaited.recorded(thread).1);
        }
        // Time can seem to run backwards: what is taken off strands for the engine's own cost may
        // be a little more than they took.
        let later = u32::try_from(later.max(0)).ok()?;
        Some(Self { point, later })
    }

    /// What is needed to make detached tasks later.
    pub fn detached(call: Call) -> Option<Self> {
        Self::new(tree::ROOT, call, Awaited::Detached, 0)
    }

    /// One task of many.
    pub fn instance(&self) -> Task {
        if let Awaited::By(group) = self.point.awaited {
            // SAFETY: interfaces make tasks of a seed only while the group, whose seed it is,
            // awaits them, so it has not ended.
            unsafe { (*group).count_spawn() };
        }
        self.task()
    }

    /// A task that has already been counted.
    pub(crate) fn task(&self) -> Task {
        if self.point.awaited == Awaited::Detached {
            to_end::begin_detached();
        }
        Task(Origin::Spawned {
            point: self.point.clone(),
            later: self.later,
        })
    }
}

/// One task: run it once, on any thread.
pub struct Task(Origin);

/// Millions of tasks may be waiting.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(std::mem::size_of::<Option<Task>>() == 16);

enum Origin {
    /// The fields of a [`Seed`], separate so that the tag has room next to the smaller.
    Spawned { point: Arc<Point>, later: u32 },
    /// A task of a broadcast: part of the instance of the group, which outlives it.
    Member(*const Group),
}

// SAFETY: what a task holds is a `Point`, which may be shared, and a pointer to a `Group`, which is
// `Sync` and lives until the task has ended.
unsafe impl Send for Task {}

impl Task {
    /// A detached task, spawned by the running strand: only the end of the program awaits it.
    pub fn detached(call: Call) -> Option<Self> {
        Seed::new(tree::ROOT, call, Awaited::Detached, 1).map(|seed| seed.task())
    }

    /// A thread that the running strand starts: whoever joins it awaits it.
    pub(crate) fn thread(call: Call) -> Option<Self> {
        Seed::new(tree::ROOT, call, Awaited::Joined, 1).map(|seed| seed.task())
    }

    pub(crate) fn member(group: &Group) -> Self {
        Self(Origin::Member(group))
    }

    /// The group that awaits the task, null if none does.
    pub fn group(&self) -> *const Group {
        match &self.0 {
            Origin::Spawned { point, .. } => match point.awaited {
                Awaited::By(group) => group,
                Awaited::Detached | Awaited::Joined => ptr::null(),
            },
            Origin::Member(group) => *group,
        }
    }

    /// The session number of the session that the task belongs to.
    fn session(&self) -> u64 {
        match &self.0 {
            Origin::Spawned { point, .. } => point.session,
            // The present one: the group's own thread is waiting for the task.
            Origin::Member(_) => under_way::session_number(),
        }
    }

    /// Runs `body` as the task.
    ///
    /// # Panics
    /// If `body` does; the account is closed all the same.
    pub fn run<R>(self, body: impl FnOnce() -> R) -> R {
        let base = 0_usize;
        let mut frame = ManuallyDrop::new(Frame::at(0, 0, 0, tree::ROOT, Chain::default()));
        let mut running = Running {
            frame: ptr::from_mut(&mut *frame),
            session: self.session(),
            task: self,
            saved: None,
            lane: 0,
            position: 0,
        };
        with(|thread| {
            if running.is_of_old_session() {
                return;
            }
            thread.start_strand_after_wait();
            running.begin(thread, ptr::from_ref(&base) as usize);
            thread.begin_strand_here();
        });
        // The account stays in place until `body` has ended: the thread points at its frame.
        body()
    }
}

/// A running task. Dropping this ends the task, also when it unwinds.
struct Running {
    /// On the stack, and taken when the task has ended. Until then the thread has it, so it is not
    /// part of this struct.
    frame: *mut Frame,
    task: Task,
    /// What the thread did before; `None` if the engine is off.
    saved: Option<Saved>,
    /// The session number of the session in which the task was made.
    session: u64,
    /// The name of the task's lane in the record, and where that begins.
    lane: u64,
    position: u64,
}

impl Running {
    /// Whether the task was made in a session that is over: it has no place in another.
    fn is_of_old_session(&self) -> bool {
        self.session != under_way::session_number()
    }

    fn begin(&mut self, thread: &Thread, base: usize) {
        let spawner;
        // SAFETY: it points at a local variable of `run`, which lives until the task has ended, and
        // nobody else knows of it before the thread adopts it.
        let frame = unsafe { &mut *self.frame };
        match &self.task.0 {
            Origin::Spawned { point, later } => {
                let since = i64::from(*later);
                *frame = Frame::at(
                    point.depth + since,
                    point.burdened + since,
                    point.open,
                    point.node,
                    point.chain.clone(),
                );
                frame.top = point.top;
                frame.awaited_own = point.awaited_own;
                frame.since_chain = *later;
                frame.spawner = point.from;
                if let Awaited::By(group) = point.awaited {
                    frame.awaited_by = group.cast();
                }
                thread.cell(point.node).count.add(1);
                spawner = point.spawner;
                if point.awaited == Awaited::Joined {
                    thread.is_user_thread.set(true);
                }
            }
            Origin::Member(group) => {
                // SAFETY: the group lives until all its members have ended, and this one begins.
                let group = unsafe { &**group };
                // The member is part of an instance that was counted when it began.
                *frame = group.member_frame(thread.settings.get().burden);
                spawner = group.spawner();
            }
        }
        let is_thread = thread.is_user_thread.get();
        if !is_thread && thread.identity() != spawner {
            thread.cell(frame.node).stolen.add(1);
        }
        if thread.records() {
            self.record_begin(thread, frame.node);
        }
        self.saved = Some(thread.adopt(self.frame, base));
    }

    fn record_begin(&mut self, thread: &Thread, node: u32) {
        self.lane = thread.recorder.new_name();
        self.position = thread.record_position();
        let lane = self.lane;
        if let Some(group) = self.group() {
            group.note(thread.identity());
        }
        thread.record(match &self.task.0 {
            Origin::Spawned { point, later } => Item::Task {
                point: point.recorded,
                later: *later,
                lane,
                node,
            },
            Origin::Member(group) => Item::Member {
                // SAFETY: the group lives until all its members have ended, and this one begins.
                group: unsafe { (**group).recorded() },
                lane,
                node,
            },
        });
    }

    fn group(&self) -> Option<&Group> {
        // SAFETY: null, or the group that awaits this task, so it lives until the task has ended.
        unsafe { self.task.group().as_ref() }
    }

    fn record_end(&self, thread: &Thread, frame: &mut Frame) {
        let from = self
            .group()
            .map_or(0, |group| group.position_on(thread.identity()));
        match &self.task.0 {
            Origin::Spawned { point, later } if point.awaited != Awaited::Joined => {
                let since = i64::from(*later);
                let figures = Figures {
                    work: frame.executed.work,
                    span: frame.depth - point.depth - since,
                    burdened: frame.burdened() - point.burdened - since,
                    tasks: (frame.executed.spawns + 1) as u32,
                };
                let bulk = Bulk {
                    point: point.recorded,
                    later: *later,
                    node: frame.node,
                    figures,
                };
                thread.record_task_end(self.position, from, bulk);
            }
            _ => thread.record_lane_end(from),
        }
        frame.recorded = self.lane;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(saved) = self.saved else { return };
        with(|thread| {
            if self.is_of_old_session() {
                return;
            }
            if thread.is_away.replace(false) {
                // What ran here last was a task of a runtime's events; the wait for more was the
                // runtime's.
                thread.adopt(self.frame, 0);
            } else {
                thread.end_strand_of_branch(End::Branch);
            }
            thread.come_back_to(self.frame);
            thread.end_task();
            thread.restore(saved);
            // SAFETY: it points at a `ManuallyDrop` of `run`, whose frame is taken once, here:
            // `restore` has made another one present, so no thread has it any more.
            let mut frame = unsafe { self.frame.read() };
            if thread.records() && self.lane != 0 {
                self.record_end(thread, &mut frame);
            }
            match &self.task.0 {
                Origin::Spawned { point, later } => {
                    if point.top {
                        let ticks = frame.depth - point.depth - i64::from(*later);
                        thread.record_top(frame.node, ticks, &mut frame, point.chain.head());
                    }
                    match point.awaited {
                        // SAFETY: the group lives until all its tasks have ended, and of this one
                        // it is told here.
                        Awaited::By(group) => unsafe { (*group).offer(frame) },
                        Awaited::Detached => {
                            frame.begin_at_chain();
                            to_end::end_detached(frame);
                        }
                        Awaited::Joined => {
                            frame.begin_at_chain();
                            user_thread::end(frame, point.spawner);
                        }
                    }
                }
                // SAFETY: the group lives until all its members have ended, and of this one it is
                // told here.
                Origin::Member(group) => unsafe { (**group).offer_member(frame) },
            }
        });
    }
}
