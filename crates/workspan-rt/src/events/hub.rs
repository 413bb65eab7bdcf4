//! What the record of the task dag tells of tasks that go from thread to thread.
//!
//! A *lane* of the record is a path that one thread runs: here the stretch of a task from where a thread enters it to where
//! that leaves it. What orders lanes of different threads are *hubs*, named points of the dag: one lane leads up to a hub,
//! another goes on after it. A task that is left leads to a hub of its own, after which it is entered again; tasks that end
//! lead to the hub of whoever awaits them.
//!
//! A hub is given up by who goes on after it: what ends later leads to a new one. So an edge of the dag never leads back in
//! time, and nothing waits for itself.
//!
//! A task is folded into one entry if one thread ran all of it, with all tasks that it spawned, and these were folded, too.

use super::task::Inner;
use crate::frame::Frame;
use crate::record::{Beginning, Bulk, Item, Origin, Parcel, AWAITED_BY_END, NOWHERE};
use crate::stop;
use crate::thread::{self, Thread};
use std::cell::{Cell, OnceCell};
use std::ptr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;

/// The name of a hub, given when it is first asked for. 0: none yet.
#[derive(Default)]
pub(super) struct Hub(AtomicU64);

impl Hub {
    pub(super) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// The name, 0 where nothing is recorded.
    pub(super) fn name(&self, thread: &Thread) -> u64 {
        let known = self.known();
        if known != 0 || !thread.records() {
            return known;
        }
        let new = thread.recorder.new_name();
        let named = self
            .0
            .compare_exchange(0, new, Ordering::AcqRel, Ordering::Acquire);
        named.map_or_else(|known| known, |_| new)
    }

    /// The name if it was asked for, else 0.
    pub(super) fn known(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// The same; the hub is given up.
    pub(super) fn take(&self) -> u64 {
        // A load is cheaper than an exchange, and most have no name.
        match self.known() {
            0 => 0,
            _ => self.0.swap(0, Ordering::AcqRel),
        }
    }
}

/// Where a task begins in the dag.
#[derive(Clone, Copy)]
pub(super) struct Start {
    pub(super) origin: Origin,
    /// The name of the point or hub; 0: it is not recorded.
    pub(super) name: u64,
    /// How many ticks after the point.
    pub(super) later: u32,
}

impl Start {
    pub(super) const NOWHERE: Self = Self {
        origin: Origin::Hub,
        name: 0,
        later: 0,
    };

    pub(super) fn at_hub(name: u64, is_stealable: bool) -> Self {
        Self {
            origin: if is_stealable {
                Origin::Stealable
            } else {
                Origin::Hub
            },
            name,
            later: 0,
        }
    }
}

/// What the record has of a task. As the task's other cells, these are of the thread that runs it.
pub(super) struct Recorded {
    start: Start,
    /// Where the lane begins in the record of `home`. Without a position the task is not folded.
    begin: Cell<Beginning>,
    home: Cell<*const Thread>,
    /// Of the present frame, the latest point at which tasks were spawned.
    point: Cell<SpawnPoint>,
    /// Where the task goes on when it is entered again.
    own: Hub,
    /// How many tasks it has spawned that were not folded on the spawning thread.
    unfolded: OnceCell<Arc<AtomicUsize>>,
    /// The same of the task that spawned it, and where that began in the record of its thread.
    around: Option<Arc<AtomicUsize>>,
    from: u64,
}

#[derive(Clone, Copy)]
struct SpawnPoint {
    name: u64,
    node: u32,
    frame: *const Frame,
    depth: i64,
    burdened: i64,
}

const NO_POINT: SpawnPoint = SpawnPoint {
    name: 0,
    node: 0,
    frame: ptr::null(),
    depth: 0,
    burdened: 0,
};

impl Recorded {
    pub(super) fn new(start: Start, around: Option<(Arc<AtomicUsize>, u64)>) -> Self {
        let (around, from) = around.map_or((None, 0), |(around, from)| (Some(around), from));
        if let Some(around) = &around {
            around.fetch_add(1, Ordering::Relaxed);
        }
        Self {
            start,
            begin: Cell::new(NOWHERE),
            home: Cell::new(ptr::null()),
            point: Cell::new(NO_POINT),
            own: Hub::new(),
            unfolded: OnceCell::new(),
            around,
            from,
        }
    }

    /// What a task that is spawned now by `thread`, which runs this one, needs to know.
    pub(super) fn as_spawner(&self, thread: &Thread) -> Option<(Arc<AtomicUsize>, u64)> {
        if !thread.records() {
            return None;
        }
        let unfolded = self.unfolded.get_or_init(Arc::default).clone();
        Some((unfolded, self.position_on(thread)))
    }

    /// Where the task begins in the record of `thread`, 0 if not there.
    fn position_on(&self, thread: &Thread) -> u64 {
        if ptr::eq(self.home.get(), thread) {
            self.begin.get().position
        } else {
            0
        }
    }

    /// The task has to do with others than those that it spawned: it is not folded.
    pub(super) fn keep_structure(&self) {
        self.begin.set(NOWHERE);
    }

    fn record(&self, thread: &Thread, item: Item) {
        thread.record_tie(item, self.position_on(thread));
    }

    /// The task, in `frame`, spawns another at `node`.
    pub(super) fn spawn(&self, thread: &Thread, frame: &Frame, node: u32) -> Start {
        if !thread.records() {
            return Start::NOWHERE;
        }
        let grain = thread.settings.get().record_grain.unwrap_or(0);
        let last = self.point.get();
        let later = frame.depth - last.depth;
        let is_last = last.name != 0
            && ptr::eq(last.frame, frame)
            && last.node == node
            && frame.burdened() - last.burdened == later
            && (0..grain.clamp(1, u32::MAX.into())).contains(&later);
        if is_last {
            let (name, later) = (last.name, later as u32);
            let origin = Origin::Point;
            return Start {
                origin,
                name,
                later,
            };
        }
        let name = thread.recorder.new_name();
        self.point.set(SpawnPoint {
            name,
            node,
            frame,
            depth: frame.depth,
            burdened: frame.burdened(),
        });
        let (point, awaited) = (name, AWAITED_BY_END);
        self.record(
            thread,
            Item::Point {
                point,
                awaited,
                node,
            },
        );
        Start {
            origin: Origin::Point,
            name,
            later: 0,
        }
    }

    /// The task spawns one that it goes on after.
    pub(super) fn spawn_serially(&self, thread: &Thread) -> Start {
        if !thread.records() {
            return Start::NOWHERE;
        }
        let hub = thread.recorder.new_name();
        self.record(thread, Item::Reach { hub, at: 0 });
        Start::at_hub(hub, false)
    }

    /// The next task spawned begins at a point of its own.
    pub(super) fn forget_point(&self) {
        self.point.set(NO_POINT);
    }

    /// The strand of the task goes on after `hub`, too.
    pub(super) fn continue_after(&self, thread: &Thread, hub: u64) {
        if hub != 0 && thread.records() {
            self.forget_point();
            let is_stealable = false;
            self.record(thread, Item::After { hub, is_stealable });
        }
    }

    /// `thread` begins the task, whose path stands in `frame`, after all `others` as well.
    pub(super) fn begin(&self, thread: &Thread, frame: &Frame, others: &[u64], is_spawner: bool) {
        if !thread.records() {
            return;
        }
        let node = frame.node;
        let Start {
            origin,
            name,
            later,
        } = self.start;
        let item = match origin {
            Origin::Point => Item::Task {
                point: name,
                later,
                lane: 0,
                node,
            },
            _ => Item::Start {
                hub: name,
                is_stealable: origin == Origin::Stealable,
                node,
                at: 0,
            },
        };
        thread
            .recorder
            .obstruct(if is_spawner { self.from } else { 0 });
        let begin = thread.record_begin(frame, item);
        self.home.set(thread);
        if others.is_empty() && name != 0 {
            self.begin.set(begin);
        }
        for &hub in others {
            let is_stealable = true;
            self.record(thread, Item::After { hub, is_stealable });
        }
    }

    /// The task is left in a construct of node `at` - 1, or in none if that is 0. Gives back the hub that its path leads to.
    pub(super) fn leave(&self, thread: &Thread, frame: *mut Frame, at: u32, ends: bool) -> u64 {
        self.forget_point();
        if !thread.records() {
            return 0;
        }
        let hub = self.own.name(thread);
        self.reach(thread, frame, hub, at, ends);
        hub
    }

    /// The same; the path leads to `hub`.
    pub(super) fn reach(&self, thread: &Thread, frame: *mut Frame, hub: u64, at: u32, ends: bool) {
        self.forget_point();
        if !thread.records() {
            return;
        }
        if hub != 0 {
            self.record(thread, Item::Reach { hub, at });
        }
        if ends {
            self.record(thread, Item::LaneEnd);
        }
        // The thread on which it goes on may be another.
        let mut here = if ends { frame } else { ptr::null_mut() };
        while !here.is_null() {
            // SAFETY: the frames of the task that the thread has just ended a strand of.
            here = unsafe {
                (*here).recorded = 0;
                (*here).parent.cast_mut()
            };
        }
    }

    /// `thread` enters the task again, which goes on at `node` after `hub`, or where it was left if that is 0; behind the
    /// construct of node `at` - 1, if `at` is not 0.
    pub(super) fn enter(&self, thread: &Thread, node: u32, hub: u64, at: u32) {
        let own = self.own.take();
        if !ptr::eq(self.home.get(), thread) {
            self.keep_structure();
        }
        if !thread.records() {
            return;
        }
        let hub = if hub == 0 { own } else { hub };
        let is_stealable = false;
        self.record(
            thread,
            Item::Start {
                hub,
                is_stealable,
                node,
                at,
            },
        );
    }

    /// The strand of the serial code of a thread is left in a construct, and goes on after `hub`.
    pub(super) fn enter_serial_code(&self, thread: &Thread, hub: u64) {
        let own = self.own.take();
        self.continue_after(thread, if hub == 0 { own } else { hub });
    }

    /// The task has ended with `path`; `hub` waits for it, and `follower` as well, if that is not 0. `is_spawner`: is the
    /// thread the one that spawned it?
    pub(super) fn end(
        &self,
        thread: &Thread,
        inner: &Inner,
        path: &Frame,
        (hub, follower): (u64, u64),
        is_spawner: bool,
    ) {
        if !thread.records() {
            return;
        }
        let begin = self.begin.get();
        let from = if is_spawner { self.from } else { 0 };
        let unfolded = (self.unfolded.get()).map_or(0, |number| number.load(Ordering::Relaxed));
        if self.position_on(thread) != 0 && unfolded == 0 && follower == 0 && hub != 0 {
            let mut figures = begin.since(path);
            figures.tasks += 1;
            let bulk = Bulk {
                point: self.start.name,
                later: self.start.later,
                node: inner.node,
                figures,
            };
            let (origin, to) = (self.start.origin, hub);
            if thread.record_folded_task(begin.position, from, Parcel { origin, to, bulk }) {
                if let Some(around) = self.around.as_ref().filter(|_| is_spawner) {
                    around.fetch_sub(1, Ordering::Relaxed);
                }
                return;
            }
        }
        for hub in [hub, follower] {
            if hub != 0 {
                thread.record(Item::Reach { hub, at: 0 });
            }
        }
        thread.record_lane_end(from);
    }
}

/// Hub `to` waits for hub `from`; of no consequence if nothing has led there.
pub(super) fn lead_from_anywhere(from: &Hub, to: &Hub) {
    let thread = thread::current();
    if thread.is_null() {
        return;
    }
    // SAFETY: the calling thread's data are never freed.
    let thread = unsafe { &*thread };
    let from = from.take();
    if thread.busy.load(Ordering::Relaxed) {
        // This is part of the thread's own bookkeeping.
        lead(thread, from, to);
    } else {
        stop::guarded_if_free(thread, |thread| lead(thread, from, to));
    }
}

/// The same in the bookkeeping of `thread`.
pub(super) fn lead(thread: &Thread, from: u64, to: &Hub) {
    if from != 0 && thread.records() {
        let to = to.name(thread);
        thread.record_tie(Item::Lead { from, to }, 0);
    }
}
