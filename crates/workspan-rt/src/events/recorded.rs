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

use super::hub::Hub;
use super::start::{SpawnPoint, Start};
use super::task::Inner;
use crate::frame::Frame;
use crate::record::{Beginning, Bulk, Item, Origin, Parcel, AWAITED_BY_END, NOWHERE};
use crate::thread::Thread;
use std::cell::{Cell, OnceCell};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

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
            point: Cell::new(SpawnPoint::NONE),
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
        if let Some(start) = self.point.get().start(frame, node, grain) {
            return start;
        }
        let point = thread.recorder.new_name();
        self.point.set(SpawnPoint::of(frame, node, point));
        let awaited = AWAITED_BY_END;
        self.record(
            thread,
            Item::Point {
                point,
                awaited,
                node,
            },
        );
        Start::at_point(point)
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
        self.point.set(SpawnPoint::NONE);
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
