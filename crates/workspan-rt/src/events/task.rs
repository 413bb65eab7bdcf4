//! A task whose beginning and end a runtime tells of.

use super::construct::Construct;
use super::hub::{Recorded, Start};
use super::instance::{Instance, Shared};
use super::scope::{continue_after, Awaiter, Scope};
use super::Mistake;
use crate::frame::Frame;
use crate::log::{Log, Others};
use crate::segment::Chain;
use crate::thread::{own_stack_end, with, Thread};
use crate::{serial, session};
use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A task, or the serial code of a thread. A handle: clones are of the same task.
#[derive(Clone)]
pub struct Task(pub(super) Arc<Inner>);

const NEW: u8 = 0;
const ENTERED: u8 = 1;
const LEFT: u8 = 2;
const ENDED: u8 = 3;
/// Ended, and its spawner goes on after it.
const RETURNED: u8 = 4;

/// A point of a path.
#[derive(Clone, Default)]
pub(super) struct Point {
    pub(super) depth: i64,
    pub(super) burdened: i64,
    pub(super) open: i64,
    pub(super) chain: Chain,
}

impl Point {
    /// Where the path of `frame` stands, whose parents are blocked and whose strands the calling thread runs.
    pub(super) fn of(frame: &mut Frame) -> Self {
        Self {
            // SAFETY: the caller's promise.
            chain: unsafe { frame.freeze() },
            depth: frame.depth,
            burdened: frame.burdened(),
            open: frame.open.get(),
        }
    }

    /// Where the path of a task stands that has ended, for who follows it.
    fn at_end_of(path: &mut Frame) -> Self {
        let ended = Log::new(path.ended(), Others::default());
        let mut end = Self::of(path);
        end.chain.head = Some(std::mem::take(&mut end.chain).extended(path.node, ended));
        end
    }

    /// Lets the path be the longer of this and `other`, and every other length the greater of both.
    fn after(&mut self, other: &Self) {
        if other.depth > self.depth {
            self.depth = other.depth;
            self.chain = other.chain.clone();
        }
        self.burdened = self.burdened.max(other.burdened);
        self.open = self.open.max(other.open);
    }

    /// A frame at `node` that goes on from here.
    pub(super) fn frame(&self, node: u32) -> Frame {
        Frame::at(
            self.depth,
            self.burdened,
            self.open,
            node,
            self.chain.clone(),
        )
    }
}

/// Whose path a task's end lengthens.
pub(super) enum Awaited {
    /// The task that spawned it, or who is around that.
    By(Awaiter),
    /// Its spawner alone, which goes on when it has ended.
    Serially(Awaiter, Arc<Scope>),
    /// The instance that it is a part of.
    In(Arc<Instance>),
}

/// A task.
///
/// While `state` is [`ENTERED`], the thread whose `task` this is owns all cells; while it is [`LEFT`] or [`NEW`], whoever
/// brings it to [`ENTERED`] does. The change of the state orders what they wrote: release, and acquire.
pub(crate) struct Inner {
    state: AtomicU8,
    /// The account of its path; null before it is entered. Not the task's own if it is the serial code of a thread.
    frame: Cell<*mut Frame>,
    /// Where the path stands while the task is left: in `frame`, or in that of an instance within.
    present: Cell<*mut Frame>,
    start: UnsafeCell<Point>,
    pub(super) node: u32,
    top: bool,
    spawner: *const Thread,
    awaited: UnsafeCell<Option<Awaited>>,
    /// Is it the serial code of the thread `spawner`?
    is_serial_code: bool,
    /// The instance that it is a part of, for comparison only; null if none.
    part_of: *const Instance,
    scopes: UnsafeCell<Vec<Open>>,
    /// What must have ended before it begins.
    before: Mutex<Vec<Task>>,
    /// May others follow it? Then its end is kept.
    is_followed: AtomicBool,
    /// With the hub that it leads to in the record.
    end: OnceLock<(Point, u64)>,
    pub(super) recorded: Recorded,
    /// Of a member or piece: its own strands in the present phase are those since.
    pub(super) own_before: Cell<i64>,
    /// Of a member: the barrier that it is at or comes to next.
    pub(super) phase: Cell<usize>,
    pub(super) is_at_barrier: AtomicBool,
    /// What the interface keeps with the task.
    tag: AtomicUsize,
}

// SAFETY: see the type's own argument; the spawner is only compared.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

/// A scope of a task, and the frame of its instance, null if it has none.
struct Open {
    scope: Arc<Scope>,
    frame: *mut Frame,
}

impl Inner {
    /// Awaited by nobody: the serial code of a thread.
    fn new(
        start: Point,
        node: u32,
        spawner: *const Thread,
        awaited: Option<Awaited>,
        recorded: Recorded,
    ) -> Self {
        Self {
            state: AtomicU8::new(NEW),
            frame: Cell::new(ptr::null_mut()),
            present: Cell::new(ptr::null_mut()),
            start: UnsafeCell::new(start),
            node,
            top: false,
            spawner,
            is_serial_code: awaited.is_none(),
            part_of: match &awaited {
                Some(Awaited::In(instance)) => Arc::as_ptr(instance),
                _ => ptr::null(),
            },
            awaited: UnsafeCell::new(awaited),
            scopes: UnsafeCell::new(Vec::new()),
            before: Mutex::new(Vec::new()),
            is_followed: AtomicBool::new(false),
            end: OnceLock::new(),
            recorded,
            own_before: Cell::new(0),
            phase: Cell::new(0),
            is_at_barrier: AtomicBool::new(false),
            tag: AtomicUsize::new(0),
        }
    }

    /// Brings the state from one of two to another; false if it is neither.
    fn change(&self, from: [u8; 2], to: u8) -> bool {
        from.iter().any(|&from| {
            let change = self
                .state
                .compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed);
            change.is_ok()
        })
    }

    /// The frame of a thread's serial code is about to go: nobody may enter it again. What it has not waited for is left to
    /// the end of the program.
    ///
    /// # Safety
    /// As [`Inner::leave_scopes`].
    pub(super) unsafe fn forget(&self) {
        if self.is_serial_code {
            self.state.store(ENDED, Ordering::Relaxed);
            // SAFETY: the caller's promise.
            unsafe { self.leave_scopes() };
        }
    }

    /// Leaves what the task has not waited for to what is around it.
    ///
    /// # Safety
    /// The calling thread runs the task, or has left it; or the world is stopped.
    pub(crate) unsafe fn leave_scopes(&self) {
        // SAFETY: the caller's promise.
        for scope in unsafe { self.take_scopes() }.iter().rev() {
            scope.leave();
        }
    }

    /// The program ends in the task: leaves what is around it, and has ended, to the end.
    ///
    /// # Safety
    /// The world is stopped.
    pub(crate) unsafe fn leave_outwards(&self) {
        // SAFETY: the caller's promise.
        unsafe {
            self.leave_scopes();
            match &*self.awaited.get() {
                Some(Awaited::By(awaiter) | Awaited::Serially(awaiter, _)) => {
                    awaiter.scope.leave_outwards();
                }
                Some(Awaited::In(instance)) => instance.leave_outwards(),
                None => {}
            }
        }
    }

    /// Is the task the one that `thread` runs?
    pub(super) fn is_run_by(&self, thread: &Thread) -> bool {
        ptr::eq(thread.task.get(), self)
    }

    /// The frame of the task itself.
    ///
    /// # Safety
    /// The caller owns the task's cells, and makes no second reference.
    #[allow(clippy::mut_from_ref)]
    pub(super) unsafe fn own_frame(&self) -> &mut Frame {
        // SAFETY: alive from the first entry to the end.
        unsafe { &mut *self.frame.get() }
    }

    /// The innermost scope, made if there is none.
    ///
    /// # Safety
    /// The caller owns the task's cells.
    unsafe fn scope(&self) -> Arc<Scope> {
        // SAFETY: the caller's promise.
        let scopes = unsafe { &mut *self.scopes.get() };
        if scopes.is_empty() {
            // SAFETY: as above.
            let outer = unsafe { self.outer() };
            scopes.push(Open {
                scope: Scope::new(outer),
                frame: ptr::null_mut(),
            });
        }
        scopes[scopes.len() - 1].scope.clone()
    }

    /// Who awaits what is left of the task's own tasks.
    ///
    /// # Safety
    /// As [`Inner::scope`].
    unsafe fn outer(&self) -> Option<Awaiter> {
        // SAFETY: the caller's promise.
        match unsafe { &*self.awaited.get() } {
            Some(Awaited::By(awaiter) | Awaited::Serially(awaiter, _)) => Some(awaiter.clone()),
            Some(Awaited::In(instance)) => instance.awaiter(),
            None => None,
        }
    }

    /// Takes all scopes that hold anything of the task's phase: what its barrier awaits.
    ///
    /// # Safety
    /// As [`Inner::scope`].
    pub(super) unsafe fn take_scopes(&self) -> Vec<Arc<Scope>> {
        // SAFETY: the caller's promise.
        let scopes = unsafe { &mut *self.scopes.get() };
        std::mem::take(scopes)
            .into_iter()
            .map(|open| open.scope)
            .collect()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let frame = self.frame.get();
        if !self.is_serial_code && !frame.is_null() {
            // SAFETY: made by `Spares::place`; no thread runs the task, since that would hold it.
            drop(unsafe { Box::from_raw(frame) });
        }
    }
}

impl Task {
    /// The task that the calling thread runs; its serial code if that is none. `None` with the engine off, and on a thread
    /// that runs nothing of the program at the moment.
    pub fn running() -> Option<Self> {
        if let Some(entered) = Self::entered() {
            return Some(entered);
        }
        let begins = with(|thread| {
            let begins = thread.begins_here();
            if begins && thread.is_running() {
                thread.end_ordinary_strand();
            }
            begins
        });
        if begins != Some(true) {
            return None;
        }
        // The first construct that there is: what comes is measured with the clock's true rate.
        session::settle_rate_once();
        with(|thread| {
            thread.frame();
            thread.start_strand_after_wait();
            Self::serial_code(thread)
        })
    }

    /// The serial code of `thread`, which runs it.
    fn serial_code(thread: &Thread) -> Self {
        let frame = thread.present();
        // SAFETY: the present frame of this thread.
        let node = unsafe { (*frame).node };
        let inner = Inner::new(
            Point::default(),
            node,
            thread,
            None,
            Recorded::new(Start::NOWHERE, None),
        );
        inner.frame.set(serial::branch_of(frame));
        inner.state.store(ENTERED, Ordering::Relaxed);
        let task = Self(Arc::new(inner));
        thread.task.set(Arc::into_raw(task.0.clone()));
        thread.serial_code.set(Arc::into_raw(task.0.clone()));
        task
    }

    /// The task that the calling thread has entered, if any.
    pub fn entered() -> Option<Self> {
        with(|thread| {
            let running = thread.task.get();
            // SAFETY: the thread holds the task.
            (!running.is_null()).then(|| unsafe { Self::borrow_raw(running.cast()) })
        })
        .flatten()
    }

    /// Is `other` a handle of the same task?
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Keeps a number with the task, which is 0 at first.
    pub fn set_tag(&self, tag: usize) {
        // Relaxed: what it says is up to who keeps it.
        self.0.tag.store(tag, Ordering::Relaxed);
    }

    /// The number kept with the task.
    pub fn tag(&self) -> usize {
        self.0.tag.load(Ordering::Relaxed)
    }

    /// The handle as a pointer, to be kept where a runtime keeps its own data.
    pub fn into_raw(self) -> *const c_void {
        Arc::into_raw(self.0).cast()
    }

    /// The handle that [`Task::into_raw`] gave.
    ///
    /// # Safety
    /// `raw` is from there, and taken back once.
    pub unsafe fn from_raw(raw: *const c_void) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { Arc::from_raw(raw.cast()) })
    }

    /// Another handle of the task.
    ///
    /// # Safety
    /// `raw` is from [`Task::into_raw`], and not taken back yet.
    pub unsafe fn borrow_raw(raw: *const c_void) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Arc::increment_strong_count(raw.cast::<Inner>());
            Self::from_raw(raw)
        }
    }

    /// The task, which the calling thread runs, spawns another. `None` with the engine off.
    pub fn spawn(&self, construct: &Construct) -> Option<Self> {
        self.spawn_in(construct, None)
    }

    /// The same of one that is run at once, while this one waits: see [`Task::continue_after`].
    pub fn spawn_serially(&self, construct: &Construct) -> Option<Self> {
        self.spawn_as(construct, None, true)
    }

    /// The same into `scope`; `None`: the innermost of the task.
    pub(super) fn spawn_in(
        &self,
        construct: &Construct,
        scope: Option<&Arc<Scope>>,
    ) -> Option<Self> {
        self.spawn_as(construct, scope, false)
    }

    fn spawn_as(
        &self,
        construct: &Construct,
        scope: Option<&Arc<Scope>>,
        serially: bool,
    ) -> Option<Self> {
        self.running_strand("a spawn", |thread, frame| {
            // SAFETY: the present frame of this thread.
            let frame = unsafe { &mut *frame };
            let edge = construct.enter(thread, frame.node);
            frame.effort.spawns += 1;
            let mut start = Point::of(frame);
            let awaiter = Awaiter {
                // SAFETY: the thread runs the task.
                scope: scope.map_or_else(|| unsafe { self.0.scope() }, Arc::clone),
                frame,
                own: frame.own().branch,
            };
            let awaited = if serially {
                let alone = Scope::new(Some(awaiter.clone()));
                Awaited::Serially(awaiter, alone)
            } else {
                start.burdened += thread.settings.get().burden;
                Awaited::By(awaiter)
            };
            let recorded = &self.0.recorded;
            if scope.is_some() {
                // Who awaits it may be another.
                recorded.keep_structure();
            }
            let recorded_start = if serially {
                recorded.spawn_serially(thread)
            } else {
                recorded.spawn(thread, frame, edge.node)
            };
            let recorded = Recorded::new(recorded_start, recorded.as_spawner(thread));
            let mut inner = Inner::new(start, edge.node, thread, Some(awaited), recorded);
            inner.top = edge.top;
            Self(Arc::new(inner))
        })
    }

    /// A part of `instance`, from `start` on.
    pub(super) fn part_of(
        instance: Arc<Instance>,
        start: Point,
        spawner: *const Thread,
        is_stealable: bool,
    ) -> Self {
        let (node, recorded) = (instance.node, instance.recorded_part(is_stealable));
        Self(Arc::new(Inner::new(
            start,
            node,
            spawner,
            Some(Awaited::In(instance)),
            recorded,
        )))
    }

    /// Lets others [`follow`](Task::follow) the task. Call before it ends.
    pub fn allow_followers(&self) {
        self.0.is_followed.store(true, Ordering::Relaxed);
    }

    /// The task begins after `before` has ended, too, which [allows](Task::allow_followers) it. Call before it is entered.
    pub fn follow(&self, before: &Self) {
        let mut all = self.0.before.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(before.clone());
    }

    /// The calling thread begins the task, or goes on with it.
    pub fn enter(&self) {
        with(|thread| {
            if !thread.task.get().is_null() {
                return Mistake::ThreadBusy.report("an entry");
            }
            Self::leave_serial_code(thread);
            let inner = &*self.0;
            if inner.is_serial_code && !ptr::eq(thread, inner.spawner) {
                return Mistake::NotEntered.report("an entry of another thread's serial code,");
            }
            if !inner.change([NEW, LEFT], ENTERED) {
                return Mistake::EnteredTwice.report("an entry");
            }
            thread.refresh();
            if inner.frame.get().is_null() {
                self.begin(thread);
            } else if !inner.is_serial_code {
                // SAFETY: where the path stands while the task is left, which is this thread's now.
                let node = unsafe { (*inner.present.get()).node };
                inner.recorded.enter(thread, node, 0, 0);
            }
            self.adopt(thread);
        });
    }

    /// Leaves what `thread` runs without having told of it, if that is the program's.
    fn leave_serial_code(thread: &Thread) {
        if !thread.present().is_null() {
            let code = Self::serial_code(thread);
            thread.end_strand_if_any(thread.settings.get().ordinary_cost);
            code.0.present.set(thread.present());
            code.give_up(thread, LEFT);
        }
    }

    /// Makes the task, which is marked as entered, the one that `thread` runs.
    pub(super) fn adopt(&self, thread: &Thread) {
        thread.is_away.set(false);
        thread.task.set(Arc::into_raw(self.0.clone()));
        thread.adopt(self.0.present.get(), own_stack_end());
        thread.start_strand_after_wait();
    }

    fn begin(&self, thread: &Thread) {
        let inner = &*self.0;
        // SAFETY: the task was new, so this thread owns its cells.
        let start = unsafe { &mut *inner.start.get() };
        let burden = thread.settings.get().burden;
        let mut hubs = Vec::new();
        for before in
            std::mem::take(&mut *inner.before.lock().unwrap_or_else(PoisonError::into_inner))
        {
            if let Some((end, hub)) = before.0.end.get() {
                hubs.push(*hub);
                start.after(&Point {
                    burdened: end.burdened + burden,
                    ..end.clone()
                });
            }
        }
        let mut frame = start.frame(inner.node);
        frame.top = inner.top;
        let is_spawner = ptr::eq(thread, inner.spawner);
        inner.recorded.begin(thread, &frame, &hubs, is_spawner);
        let cell = thread.cell(inner.node);
        // SAFETY: as above.
        match unsafe { &*inner.awaited.get() } {
            Some(Awaited::In(_)) => cell.broadcast_tasks.add(1),
            _ => cell.count.add(1),
        }
        if !ptr::eq(thread, inner.spawner) {
            cell.stolen.add(1);
        }
        let frame = thread.spare_frames.place(frame);
        inner.frame.set(frame);
        inner.present.set(frame);
    }

    /// The task's strand ends; the thread runs nothing of the program until it enters a task.
    pub fn leave(&self) {
        self.leave_for("a leave", |thread, frame| {
            if !self.0.is_serial_code {
                self.0.recorded.leave(thread, frame, 0, true);
            }
        });
    }

    /// Ends the strand, calls `f` with the thread and the frame in which the path stands, and leaves the task.
    pub(super) fn leave_for<R>(
        &self,
        what: &str,
        f: impl FnOnce(&Thread, *mut Frame) -> R,
    ) -> Option<R> {
        with(|thread| {
            if !self.0.is_run_by(thread) {
                Mistake::NotEntered.report(what);
                return None;
            }
            thread.end_strand_if_any(thread.settings.get().ordinary_cost);
            let result = f(thread, thread.present());
            self.0.present.set(thread.present());
            self.give_up(thread, LEFT);
            Some(result)
        })
        .flatten()
    }

    /// The thread runs the task no longer.
    fn give_up(&self, thread: &Thread, state: u8) {
        let held = thread.task.replace(ptr::null());
        thread.is_away.set(true);
        thread.adopt(ptr::null_mut(), 0);
        self.0.state.store(state, Ordering::Release);
        // SAFETY: `adopt` took this count. The caller holds another.
        drop(unsafe { Arc::from_raw(held) });
    }

    /// Ends the running strand, calls `f` with the frame in which the path stands, and begins the next.
    pub(super) fn running_strand<R>(
        &self,
        what: &str,
        f: impl FnOnce(&Thread, *mut Frame) -> R,
    ) -> Option<R> {
        with(|thread| {
            if !self.0.is_run_by(thread) {
                Mistake::NotEntered.report(what);
                return None;
            }
            thread.end_strand_if_any(thread.settings.get().ordinary_cost);
            let result = f(thread, thread.present());
            thread.continue_strand();
            thread.begin_strand_here();
            Some(result)
        })
        .flatten()
    }

    /// Goes on with a task that was left: calls `f` with the frame in which its path stands, and begins a strand.
    pub(super) fn enter_again(&self, what: &str, f: impl FnOnce(&Thread, *mut Frame)) {
        with(|thread| {
            if !thread.task.get().is_null() {
                return Mistake::ThreadBusy.report(what);
            }
            Self::leave_serial_code(thread);
            if !self.0.change([LEFT, LEFT], ENTERED) {
                return Mistake::EnteredTwice.report(what);
            }
            thread.refresh();
            f(thread, self.0.present.get());
            self.adopt(thread);
        });
    }

    /// Is the task a part of `instance`?
    pub(super) fn is_part_of(&self, instance: &Arc<Instance>) -> bool {
        self.0.part_of == Arc::as_ptr(instance)
    }

    /// The task's strand ends in `construct`, a team of so many members, or a loop; the task is left.
    pub(super) fn begin_instance(
        &self,
        what: &str,
        construct: &Construct,
        members: Option<usize>,
    ) -> Option<(Arc<Instance>, *const Thread)> {
        self.leave_for(what, |thread, frame| {
            // SAFETY: the present frame of this thread, which runs the task.
            let frame = unsafe { &mut *frame };
            frame.effort.spawns += members.unwrap_or(0) as i64;
            let edge = construct.enter(thread, frame.node);
            thread.cell(edge.node).count.add(1);
            let instance = self.instance(thread, frame, (edge.node, edge.top), members.is_some());
            (instance, ptr::from_ref(thread))
        })
    }

    /// The same of a share of a construct, which `shared` finds by its node and tells whether it is new.
    pub(super) fn begin_share(
        &self,
        construct: &Construct,
        shared: impl FnOnce((u32, bool)) -> (Arc<Shared>, bool),
    ) -> Option<(Arc<Instance>, *const Thread, Arc<Shared>)> {
        self.leave_for("a loop", |thread, frame| {
            // SAFETY: as in `begin_instance`.
            let frame = unsafe { &mut *frame };
            let edge = construct.enter(thread, frame.node);
            let (shared, is_new) = shared((edge.node, edge.top));
            thread.cell(edge.node).count.add(i64::from(is_new));
            let instance = self.instance(thread, frame, (edge.node, false), false);
            (instance, ptr::from_ref(thread), shared)
        })
    }

    fn instance(
        &self,
        thread: &Thread,
        frame: &mut Frame,
        edge: (u32, bool),
        awaits_tasks: bool,
    ) -> Arc<Instance> {
        let start = Point::of(frame);
        let around = Awaiter {
            // SAFETY: the calling thread runs the task.
            scope: unsafe { self.0.scope() },
            frame,
            own: frame.own().branch,
        };
        let recorded = &self.0.recorded;
        let spawner = recorded.as_spawner(thread);
        let hub = recorded.leave(thread, frame, edge.0 + 1, !self.0.is_serial_code);
        Instance::new(edge, start, around, awaits_tasks, (hub, spawner))
    }

    /// The construct in which the task was left is over: `f` lets its frame go on, and the calling thread goes on with it.
    /// It gives back the hub after which that is in the record, or 0, and the construct's node.
    pub(super) fn end_instance(
        &self,
        what: &str,
        f: impl FnOnce(&Thread, &mut Frame) -> (u64, u32),
    ) {
        self.enter_again(what, |thread, frame| {
            // SAFETY: the task was left, and is this thread's now.
            let frame = unsafe { &mut *frame };
            let (hub, node) = f(thread, frame);
            let recorded = &self.0.recorded;
            if self.0.is_serial_code {
                recorded.enter_serial_code(thread, hub);
            } else {
                recorded.enter(thread, frame.node, hub, node + 1);
            }
        });
    }

    /// The task has ended; the calling thread has entered it. Of the serial code of a thread, which ends with that, and of a
    /// member that is at its team's last barrier, nothing is told.
    pub fn end(&self) {
        with(|thread| {
            let inner = &*self.0;
            if !inner.is_run_by(thread) {
                return match inner.state.load(Ordering::Relaxed) {
                    ENDED | RETURNED => Mistake::EndedTwice.report("an end"),
                    LEFT if inner.is_at_barrier.load(Ordering::Relaxed) => {}
                    _ => Mistake::NotEntered.report("an end"),
                };
            }
            if inner.is_serial_code {
                return;
            }
            thread.end_strand_if_any(thread.settings.get().ordinary_cost);
            thread.come_back_to(inner.frame.get());
            // SAFETY: the thread runs the task, so it owns the cells; no thread has the frame after this.
            let (mut path, start, awaited, scopes) = unsafe {
                (
                    thread
                        .spare_frames
                        .take(inner.frame.replace(ptr::null_mut())),
                    &*inner.start.get(),
                    (*inner.awaited.get()).take(),
                    inner.take_scopes(),
                )
            };
            if inner.top {
                let ticks = path.depth - start.depth;
                thread.record_top(inner.node, ticks, &mut path, start.chain.head());
            }
            let hub = match &awaited {
                Some(Awaited::By(awaiter)) => awaiter.scope.children_hub.name(thread),
                Some(Awaited::Serially(_, alone)) => alone.children_hub.name(thread),
                Some(Awaited::In(instance)) => instance.hub_of(thread, inner.phase.get()),
                None => 0,
            };
            let is_followed = inner.is_followed.load(Ordering::Relaxed);
            let follower = if is_followed && thread.records() {
                thread.recorder.new_name()
            } else {
                0
            };
            if scopes.iter().any(|scope| scope.holds_any()) {
                inner.recorded.keep_structure();
            }
            let is_spawner = ptr::eq(thread, inner.spawner);
            (inner.recorded).end(thread, inner, &path, (hub, follower), is_spawner);
            if is_followed {
                let _ = inner.end.set((Point::at_end_of(&mut path), follower));
            }
            let offer = |scope: &Scope, awaiter: &Awaiter, mut path: Frame| {
                awaiter.mark(&mut path);
                scope.children.add(path.effort);
                scope.children.offer(path);
            };
            match awaited {
                Some(Awaited::By(awaiter)) => offer(&awaiter.scope, &awaiter, path),
                Some(Awaited::Serially(awaiter, alone)) => {
                    offer(&alone, &awaiter, path);
                    // SAFETY: still this thread's; its spawner takes it after the end.
                    unsafe { *inner.awaited.get() = Some(Awaited::Serially(awaiter, alone)) };
                }
                Some(Awaited::In(instance)) => {
                    instance.add(path.own().branch - inner.own_before.get(), path.effort);
                    instance.offer(path, inner.phase.get(), scopes);
                }
                None => {}
            }
            self.give_up(thread, ENDED);
        });
    }

    /// The task, which the calling thread runs, goes on after the tasks that it has spawned so far.
    pub fn wait_for_children(&self) {
        self.running_strand("a wait", |thread, frame| {
            // SAFETY: the present frame of this thread.
            let frame = unsafe { &mut *frame };
            frame.effort.syncs += 1;
            // SAFETY: the thread runs the task.
            for open in unsafe { &*self.0.scopes.get() } {
                continue_after(thread, frame, &open.scope.children);
                let hub = open.scope.children_hub.take();
                self.0.recorded.continue_after(thread, hub);
            }
        });
    }

    /// The task, which the calling thread runs, goes on after `child`, which it [spawned serially](Task::spawn_serially)
    /// and which has ended.
    pub fn continue_after(&self, child: &Self) {
        self.running_strand("a return", |thread, frame| {
            if !child.0.change([ENDED, ENDED], RETURNED) {
                return Mistake::NotEntered.report("a return from a task");
            }
            // SAFETY: the present frame of this thread.
            let frame = unsafe { &mut *frame };
            // SAFETY: the child has ended, and only one caller has brought it here.
            if let Some(Awaited::Serially(_, alone)) = unsafe { (*child.0.awaited.get()).take() } {
                continue_after(thread, frame, &alone.children);
                let hub = alone.children_hub.take();
                self.0.recorded.continue_after(thread, hub);
            }
        });
    }

    /// Begins a block that awaits all tasks which are spawned in it, by the task itself or below. As an instance of
    /// `construct`, if that is given.
    pub fn begin_scope(&self, construct: Option<&Construct>) {
        self.running_strand("a scope", |thread, frame| {
            self.0.recorded.forget_point();
            // SAFETY: the thread runs the task.
            let around = unsafe { self.0.scope() };
            // SAFETY: the present frame of this thread.
            let (node, own) = unsafe { ((*frame).node, (*frame).own().branch) };
            let outer = Awaiter {
                scope: around,
                frame,
                own,
            };
            let own = construct.map_or(ptr::null_mut(), |construct| {
                serial::enter(thread, construct.enter(thread, node))
            });
            // SAFETY: as above.
            unsafe { &mut *self.0.scopes.get() }.push(Open {
                scope: Scope::new(Some(outer)),
                frame: own,
            });
        });
    }

    /// Ends the innermost such block: all its tasks have ended.
    pub fn end_scope(&self) {
        self.running_strand("a scope's end", |thread, _| {
            // SAFETY: the thread runs the task.
            let scopes = unsafe { &mut *self.0.scopes.get() };
            // The first is the task's own.
            if scopes.len() < 2 {
                return Mistake::ScopeNotBegun.report("a scope's end");
            }
            let Some(open) = scopes.pop() else { return };
            if !open.frame.is_null() {
                thread.come_back_to(open.frame);
            }
            // SAFETY: the present frame of this thread; none is referred to but by this.
            let frame = unsafe { &mut *thread.present() };
            frame.effort.syncs += 1;
            continue_after(thread, frame, &open.scope.children);
            continue_after(thread, frame, &open.scope.descendants);
            self.0.recorded.forget_point();
            for hub in open.scope.take_hubs() {
                self.0.recorded.continue_after(thread, hub);
            }
            if !open.frame.is_null() {
                serial::leave(thread, open.frame);
            }
        });
    }
}
