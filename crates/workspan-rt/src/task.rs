//! Tasks that are spawned, and may outlive the call that spawned them.
//!
//! A task that waits to be run is a pointer and a number. What it shares with the tasks that the same strand, or the
//! strands right after it, spawned at the same place is kept once, in a [`Point`].

use crate::call::Call;
use crate::frame::Frame;
use crate::group::Group;
use crate::record::{self, Bulk, Figures, Item};
use crate::segment::Chain;
use crate::session;
use crate::thread::{with, Saved, Thread};
use crate::tree;
use crate::user_thread;
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::Arc;

/// A point of a path at which tasks are spawned.
pub(crate) struct Point {
    chain: Chain,
    depth: i64,
    burdened: i64,
    open: i64,
    node: u32,
    top: bool,
    /// See [`Frame::awaited_own`].
    awaited_own: i64,
    spawner: *const Thread,
    awaited: Awaited,
    /// Its name in the record, 0 if there is none.
    recorded: u64,
    /// The number of the session that it is of.
    session: u64,
}

/// Who awaits a task.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Awaited {
    /// A group, which outlives it.
    By(*const Group),
    /// The end of the program.
    Detached,
    /// The thread that joins it: it is a thread of the program.
    Joined,
}

// SAFETY: the chain is shared by its own protocol; the group is `Sync` and outlives its tasks; the spawner's
// data is only compared by address.
unsafe impl Send for Point {}
// SAFETY: as above.
unsafe impl Sync for Point {}

impl Awaited {
    /// How the record names who awaits a task, and the position there at which that begins on `thread`, 0 if elsewhere.
    fn recorded(self, thread: &Thread) -> (u64, u64) {
        match self {
            // SAFETY: a group outlives its tasks, and their spawns.
            Awaited::By(group) => unsafe {
                let group = &*group;
                let name = record::AWAITED_BY_GROUP + group.recorded();
                (name, group.position_on(thread))
            },
            Awaited::Detached => (record::AWAITED_BY_END, 0),
            Awaited::Joined => (record::AWAITED_BY_JOINER, 0),
        }
    }
}

impl Point {
    /// Records that tasks of `node` are spawned here. Gives back the point's name.
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

    /// Does the path of `frame`, and nothing but the frame's own strands, lead on from here to where tasks of `node` that
    /// `awaited` tells of are spawned?
    fn leads_to(&self, frame: &mut Frame, node: u32, awaited: Awaited) -> bool {
        self.node == node && self.awaited == awaited && frame.continues(&self.chain)
    }
}

/// Where and when tasks were spawned that have yet to be made: a point, and the ticks since then.
#[derive(Clone)]
pub struct Seed {
    point: Arc<Point>,
    later: u32,
}

impl Seed {
    /// What is needed to make tasks of a `call` at `node`, of which so many are counted for the running strand already.
    pub(crate) fn new(node: u32, call: Call, awaited: Awaited, tasks: i64) -> Option<Self> {
        with(|thread| {
            if !thread.begins_here() {
                return None;
            }
            thread.end_strand(thread.settings.get().spawn_cost);
            let edge = thread.enter(node, &call);
            // SAFETY: the present frame of this thread, whose parents are blocked.
            let frame = unsafe { &mut *thread.frame() };
            frame.effort.spawns += tasks;
            let seed = Self::shared(thread, frame, edge.node, awaited).unwrap_or_else(|| {
                // SAFETY: as above.
                let chain = unsafe { frame.freeze() };
                let awaited_own = match awaited {
                    // SAFETY: a group outlives its tasks; for the frame as above.
                    Awaited::By(group) => unsafe { (*group).own_at(frame) },
                    Awaited::Detached | Awaited::Joined => 0,
                };
                let point = Arc::new(Point {
                    chain,
                    depth: frame.depth,
                    burdened: frame.burdened() + thread.settings.get().burden,
                    open: frame.open.get(),
                    node: edge.node,
                    top: edge.top,
                    awaited_own,
                    spawner: thread,
                    awaited,
                    recorded: Point::recorded(thread, edge.node, awaited),
                    session: session::generation(),
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

    /// The last point at which this thread spawned, if that was just before. The time since then, less than half
    /// the grain, is on the path of the task, but counts for the task's own node there.
    fn shared(thread: &Thread, frame: &mut Frame, node: u32, awaited: Awaited) -> Option<Self> {
        let point = thread.point.take()?;
        let later = frame.depth - point.depth;
        if later.abs() > thread.settings.get().grain / 2 || !point.leads_to(frame, node, awaited) {
            return None;
        }
        thread.point.set(Some(point.clone()));
        if thread.records() {
            // A handoff may have begun between the two.
            thread.recorder.obstruct(awaited.recorded(thread).1);
        }
        // What is taken off strands for the engine's own cost may be a little more than they took.
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
            // SAFETY: a group outlives its tasks.
            unsafe { (*group).count_spawn() };
        }
        self.task()
    }

    /// A task that is counted already.
    pub(crate) fn task(&self) -> Task {
        if self.point.awaited == Awaited::Detached {
            session::begin_detached();
        }
        Task(Origin::Spawned {
            point: self.point.clone(),
            later: self.later,
        })
    }
}

/// One task: run it once, on any thread.
pub struct Task(Origin);

/// Millions of tasks may wait.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(std::mem::size_of::<Option<Task>>() == 16);

enum Origin {
    /// The fields of a [`Seed`], apart so that the tag has room beside the smaller.
    Spawned { point: Arc<Point>, later: u32 },
    /// A task of a broadcast, which outlives it: part of the group's own instance.
    Member(*const Group),
}

// SAFETY: a task is handed from its spawner to the thread that runs it, through the runtime's queue; for the
// pointers see `Point`.
unsafe impl Send for Task {}

impl Task {
    /// A detached task that the running strand spawns: nobody awaits it but the end of the program.
    pub fn detached(call: Call) -> Option<Self> {
        Seed::new(tree::ROOT, call, Awaited::Detached, 1).map(|seed| seed.task())
    }

    /// A thread that the running strand starts: it is awaited by whoever joins it.
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

    /// The number of the session that it is of.
    fn session(&self) -> u64 {
        match &self.0 {
            Origin::Spawned { point, .. } => point.session,
            // The group's own thread waits for it.
            Origin::Member(_) => session::generation(),
        }
    }

    /// Runs `body` as the task.
    ///
    /// # Panics
    /// When `body` does; the account is closed all the same.
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
        // The account stays where it is until `body` has ended: the thread points at its frame.
        body()
    }
}

/// A task that runs; ends it when dropped, also when it unwinds.
struct Running {
    /// On the stack, and taken when the task has ended. The thread has it meanwhile, so it is no part of this.
    frame: *mut Frame,
    task: Task,
    /// What the thread did before; without it, the engine is off.
    saved: Option<Saved>,
    /// The number of the session in which it was made.
    session: u64,
    /// Name of the task's lane in the record, and where that begins there.
    lane: u64,
    position: u64,
}

impl Running {
    /// Was it made in a session that is over? Then it has no place in another.
    fn is_of_old_session(&self) -> bool {
        self.session != session::generation()
    }

    fn begin(&mut self, thread: &Thread, base: usize) {
        let spawner;
        // SAFETY: nobody else knows of the frame before the thread adopts it.
        let frame = unsafe { &mut *self.frame };
        match &self.task.0 {
            Origin::Spawned { point, later } => {
                let later = i64::from(*later);
                *frame = Frame::at(
                    point.depth + later,
                    point.burdened + later,
                    point.open,
                    point.node,
                    point.chain.clone(),
                );
                frame.top = point.top;
                frame.awaited_own = point.awaited_own;
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
                // SAFETY: the group outlives its members.
                let group = unsafe { &**group };
                // The member is part of an instance that was counted when it began.
                *frame = group.member_frame(thread.settings.get().burden);
                spawner = group.spawner();
            }
        }
        let is_thread = thread.is_user_thread.get();
        if !is_thread && !ptr::eq(thread, spawner) {
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
            group.note(thread);
        }
        thread.record(match &self.task.0 {
            Origin::Spawned { point, later } => Item::Task {
                point: point.recorded,
                later: *later,
                lane,
                node,
            },
            Origin::Member(group) => Item::Member {
                // SAFETY: a group outlives its members.
                group: unsafe { (**group).recorded() },
                lane,
                node,
            },
        });
    }

    fn group(&self) -> Option<&Group> {
        // SAFETY: a group outlives its tasks.
        unsafe { self.task.group().as_ref() }
    }

    fn record_end(&self, thread: &Thread, frame: &mut Frame) {
        let from = self.group().map_or(0, |group| group.position_on(thread));
        match &self.task.0 {
            Origin::Spawned { point, later } if point.awaited != Awaited::Joined => {
                let since = i64::from(*later);
                let figures = Figures {
                    work: frame.effort.work,
                    span: frame.depth - point.depth - since,
                    burdened: frame.burdened() - point.burdened - since,
                    tasks: (frame.effort.spawns + 1) as u32,
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
                // What a runtime's events said to run here came last; the wait for more was the runtime's.
                thread.adopt(self.frame, 0);
            } else {
                thread.end_ordinary_strand();
            }
            thread.come_back_to(self.frame);
            thread.end_task();
            thread.restore(saved);
            // SAFETY: the frame is taken once, here; no thread has it any more.
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
                        // SAFETY: a group outlives its tasks.
                        Awaited::By(group) => unsafe { (*group).offer(frame) },
                        Awaited::Detached => session::end_detached(frame),
                        Awaited::Joined => user_thread::end(frame, point.spawner),
                    }
                }
                // SAFETY: as above.
                Origin::Member(group) => unsafe { (**group).offer_member(frame) },
            }
        });
    }
}
