//! What the record of the task dag holds of tasks that move from thread to thread.
//!
//! A *lane* of the record is a path that one thread runs: here the part of a task from where a
//! thread enters it to where that thread leaves it. Lanes of different threads are ordered by
//! *hubs*, named points of the dag: one lane leads up to a hub, another continues after it. A task
//! that is left leads to a hub of its own, after which it is entered again; tasks that end lead to
//! the hub of whatever awaits them.
//!
//! Whoever continues after a hub gives it up: what ends later leads to a new one. So no edge of the
//! dag leads back in time, and nothing waits for itself.
//!
//! A task is folded into one entry if one thread ran all of it, with everything it made, and if it
//! involves nothing but what awaits it. What any task does up to a wait is folded if its thread ran
//! all of that ([`Block`]).

use super::block::Block;
use super::hub::Hub;
use super::start::{SpawnPoint, Start};
use crate::path::beginning::{Beginning, NOWHERE};
use crate::path::frame::Frame;
use crate::record::{Bulk, Figures, Item, Origin, Parcel, AWAITED_BY_END};
use crate::thread::Thread;
use std::cell::{Cell, RefCell};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// What the record holds of a task. Like the task's other cells, these belong to the thread that
/// runs it.
pub(super) struct Recorded {
    start: Start,
    /// Where the lane begins in the record of `home`. Without a position the task is not folded.
    begin: Cell<Beginning>,
    home: Cell<*const Thread>,
    /// The latest point at which tasks were spawned in the present frame.
    point: Cell<SpawnPoint>,
    /// The hub after which the task continues when it is entered again.
    own: Hub,
    /// What it has made since it last waited, by open scope, the innermost last.
    blocks: RefCell<Vec<Block>>,
    /// The block it was made in: the count of those elsewhere, and where the block began in the
    /// record of the maker's thread.
    around: Option<Arc<AtomicUsize>>,
    from: u64,
    follows: Cell<bool>,
}

impl Recorded {
    /// For a task made in the block that `around` comes from ([`Block::around`]).
    pub(super) fn new(start: Start, around: Option<(Arc<AtomicUsize>, u64)>) -> Self {
        let (around, from) = around.map_or((None, 0), |(around, from)| (Some(around), from));
        if let Some(around) = &around {
            around.fetch_add(1, Ordering::Relaxed);
        }
        Self {
            around,
            ..Self::of_part(start, from)
        }
    }

    /// For a part of a construct that began at position `from` in the record of its maker's thread,
    /// and that counts its parts itself.
    pub(super) fn of_part(start: Start, from: u64) -> Self {
        Self {
            start,
            begin: Cell::new(NOWHERE),
            home: Cell::new(ptr::null()),
            point: Cell::new(SpawnPoint::NONE),
            own: Hub::new(),
            blocks: RefCell::new(Vec::new()),
            around: None,
            from,
            follows: Cell::new(false),
        }
    }

    /// What a task that `thread`, which runs this one, makes now needs for [`Recorded::new`].
    pub(super) fn as_spawner(&self, thread: &Thread) -> Option<(Arc<AtomicUsize>, u64)> {
        thread
            .records()
            .then(|| self.with_block(|block| (block.around().0, block.position_on(thread))))
    }

    fn with_block<R>(&self, f: impl FnOnce(&mut Block) -> R) -> R {
        let mut blocks = self.blocks.borrow_mut();
        if blocks.is_empty() {
            blocks.push(Block::new());
        }
        let last = blocks.len() - 1;
        f(&mut blocks[last])
    }

    /// Where the latest of the task's blocks to have begun did so in the record of `thread`, or
    /// else the task itself; 0 if not there.
    fn position_on(&self, thread: &Thread) -> u64 {
        let blocks = self.blocks.borrow();
        match blocks.iter().rev().find(|block| block.has_begun()) {
            Some(block) => block.position_on(thread),
            None if ptr::eq(self.home.get(), thread) => self.begin.get().position,
            None => 0,
        }
    }

    /// The task involves others than those that it makes: neither it nor what it is doing now is
    /// folded.
    pub(super) fn keep_structure(&self) {
        self.begin.set(NOWHERE);
        self.blocks.borrow().iter().for_each(Block::add_elsewhere);
    }

    /// The task follows that of `before`. Returns whether both were made in one block.
    pub(super) fn follow(&self, before: &Self) -> bool {
        self.follows.set(true);
        match (&self.around, &before.around) {
            (Some(around), Some(other)) if Arc::ptr_eq(around, other) => true,
            (_, Some(other)) => {
                other.fetch_add(1, Ordering::Relaxed);
                false
            }
            _ => false,
        }
    }

    fn record(&self, thread: &Thread, item: Item) {
        thread.record_tie(item, self.position_on(thread));
    }

    /// Begins the present block, if it has not begun, with the next entry: a construct of `node` in
    /// `frame`.
    fn begin_block(&self, thread: &Thread, frame: &Frame, node: u32) {
        let has_begun = self.with_block(|block| block.has_begun());
        if !has_begun {
            // Nothing that contains the block's beginning may be folded before the block has ended.
            thread.recorder.obstruct(self.position_on(thread));
            self.with_block(|block| block.begin(thread, frame, node));
        }
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
        self.begin_block(thread, frame, node);
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

    /// The task, in `frame`, spawns one at `node` and continues after it.
    pub(super) fn spawn_serially(&self, thread: &Thread, frame: &Frame, node: u32) -> Start {
        if !thread.records() {
            return Start::NOWHERE;
        }
        self.begin_block(thread, frame, node);
        let hub = thread.recorder.new_name();
        self.record(thread, Item::Reach { hub, at: 0 });
        Start::at_hub(hub, false)
    }

    /// The next task to be spawned begins at a point of its own.
    pub(super) fn forget_point(&self) {
        self.point.set(SpawnPoint::NONE);
    }

    /// The task's strand also continues after `hub`, to which others than its block have led.
    pub(super) fn continue_after_others(&self, thread: &Thread, hub: u64) {
        if hub != 0 {
            self.keep_structure();
            self.continue_after(thread, hub);
        }
    }

    fn continue_after(&self, thread: &Thread, hub: u64) {
        if hub != 0 && thread.records() {
            self.forget_point();
            let is_stealable = false;
            self.record(thread, Item::After { hub, is_stealable });
        }
    }

    /// Makes a block for what is made in the scope that begins.
    pub(super) fn begin_scope(&self, thread: &Thread) {
        self.forget_point();
        if !thread.records() {
            return;
        }
        let mut blocks = self.blocks.borrow_mut();
        if blocks.is_empty() {
            blocks.push(Block::new());
        }
        blocks.push(Block::new());
    }

    /// That scope ends. The path of `frame` continues after its tasks, which led to `hubs`.
    pub(super) fn end_scope(&self, thread: &Thread, frame: &Frame, hubs: [u64; 2]) {
        self.end_block(thread, frame, hubs);
        self.blocks.borrow_mut().pop();
    }

    /// The path of `frame` continues after a task spawned serially, which led to `hub`. `is_alone`:
    /// no other task has ended that this one has not waited for.
    pub(super) fn return_from(&self, thread: &Thread, frame: &Frame, hub: u64, is_alone: bool) {
        if is_alone && thread.records() && self.with_block(|block| block.is_all_of(thread)) {
            self.end_block(thread, frame, [hub]);
        } else {
            self.continue_after(thread, hub);
        }
    }

    /// The path of `frame` continues after everything made in the present block, which led to
    /// `hubs`.
    pub(super) fn end_block(
        &self,
        thread: &Thread,
        frame: &Frame,
        hubs: impl IntoIterator<Item = u64>,
    ) {
        self.forget_point();
        if !thread.records() {
            return;
        }
        let is_all_here = self.with_block(|block| block.is_all_of(thread));
        let is_folded = is_all_here && self.with_block(|block| block.fold(thread, frame, 0));
        if !is_folded {
            for hub in hubs {
                self.continue_after(thread, hub);
            }
        }
        if !is_all_here {
            self.keep_structure();
        }
        self.with_block(Block::end);
    }

    /// `thread` begins the task, whose path is in `frame`, after the hubs in `others` as well.
    /// `is_tied`: are some of those not of the task's own block? `is_spawner`: did `thread` spawn
    /// the task?
    pub(super) fn begin(
        &self,
        thread: &Thread,
        frame: &Frame,
        (others, is_tied): (&[u64], bool),
        is_spawner: bool,
    ) {
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
        if !is_tied && name != 0 {
            self.begin.set(begin);
        }
        for &hub in others {
            let is_stealable = true;
            self.record(thread, Item::After { hub, is_stealable });
        }
    }

    /// The task is left, in no construct. Its path leads to a hub of its own.
    pub(super) fn leave(&self, thread: &Thread, frame: *mut Frame) {
        let hub = self.own.name(thread);
        self.reach(thread, frame, hub);
    }

    /// The task is left in a construct of `node`, which begins in `frame`; its lane ends there if
    /// it `ends`. Returns the hub that its path leads to.
    pub(super) fn begin_construct(
        &self,
        thread: &Thread,
        frame: &mut Frame,
        node: u32,
        ends: bool,
    ) -> (u64, Block) {
        let mut construct = Block::new();
        if !thread.records() {
            return (0, construct);
        }
        thread.recorder.obstruct(self.position_on(thread));
        construct.begin(thread, frame, node);
        self.with_block(|block| block.add_elsewhere());
        let hub = self.own.name(thread);
        self.forget_point();
        let from = construct.position_on(thread);
        self.lead(thread, frame, (hub, node + 1), ends, from);
        (hub, construct)
    }

    /// That construct has ended: the path of `frame` continues after it. `more`: how many tasks
    /// were made in it that the frame has not counted. Folds it into one entry if possible, and
    /// returns whether it did.
    pub(super) fn fold_construct(
        &self,
        thread: &Thread,
        frame: &Frame,
        construct: &Block,
        more: u32,
    ) -> bool {
        if !thread.records() || !construct.has_begun() || !construct.is_all_of(thread) {
            return false;
        }
        self.with_block(|block| block.take_elsewhere());
        let is_folded = construct.fold(thread, frame, more);
        if is_folded {
            self.own.take();
        }
        is_folded
    }

    /// The task is left with its path, in `frame`, leading to `hub`: its own, or that of the
    /// barrier that a team's member has reached.
    pub(super) fn reach(&self, thread: &Thread, frame: *mut Frame, hub: u64) {
        self.forget_point();
        if thread.records() {
            let from = self.position_on(thread);
            self.lead(thread, frame, (hub, 0), true, from);
        }
    }

    fn lead(
        &self,
        thread: &Thread,
        frame: *mut Frame,
        (hub, at): (u64, u32),
        ends: bool,
        from: u64,
    ) {
        if hub != 0 {
            thread.record_tie(Item::Reach { hub, at }, from);
        }
        if ends {
            thread.record_tie(Item::LaneEnd, from);
        }
        // It may continue on another thread, where these positions mean nothing.
        let mut here = if ends { frame } else { ptr::null_mut() };
        while !here.is_null() {
            // SAFETY: `frame` and its parents are of the task that this thread has just ended a
            // strand of: they are alive, and this thread's alone.
            here = unsafe {
                (*here).recorded = 0;
                (*here).parent.cast_mut()
            };
        }
    }

    /// `thread` enters the task again, which continues at `node` after `hub`, or if that is 0 from
    /// where it was left. If `at` is not 0, it continues after a construct of node `at` - 1.
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

    /// `thread` continues the task whose lane is still open in its record, around what it did
    /// meanwhile. What was only left of that may be folded when it ends, but not together with what
    /// the task does from here on.
    pub(super) fn come_back(&self, thread: &Thread) {
        if thread.records() {
            thread.recorder.obstruct(self.position_on(thread));
        }
    }

    /// `thread` enters the member of a team again, which continues in `frame` after `hub`, that of
    /// a barrier.
    pub(super) fn enter_phase(&self, thread: &Thread, frame: &Frame, hub: u64) {
        self.begin.set(NOWHERE);
        self.blocks.borrow_mut().clear();
        self.home.set(thread);
        if !thread.records() {
            return;
        }
        thread.recorder.obstruct(0);
        let (node, at) = (frame.node, 0);
        let is_stealable = false;
        let begin = thread.record_begin(
            frame,
            Item::Start {
                hub,
                is_stealable,
                node,
                at,
            },
        );
        if hub != 0 {
            self.begin.set(begin);
        }
    }

    /// The serial code of a thread, whose strand was left in a construct, continues after `hub`.
    pub(super) fn enter_serial_code(&self, thread: &Thread, hub: u64) {
        let own = self.own.take();
        self.continue_after(thread, if hub == 0 { own } else { hub });
    }

    /// The part of a construct whose path is in `path` is over: removes it from the record if
    /// `thread` ran all of it and it has less work than the grain. Returns what it was, and whether
    /// another thread could have taken it.
    pub(super) fn take_part(&self, thread: &Thread, path: &Frame) -> Option<(Figures, bool)> {
        let begin = self.begin.replace(NOWHERE);
        let is_here = begin.position != 0 && ptr::eq(self.home.get(), thread) && thread.records();
        if !is_here || !self.with_block(|block| block.is_all_of(thread)) {
            return None;
        }
        let figures = begin.since(path);
        let is_taken = thread.take_lane(begin.position, figures.work);
        is_taken.then_some((figures, self.start.origin == Origin::Stealable))
    }

    /// The task has ended with `path`. `hub` waits for it, and so does `follower` if that is not 0.
    /// `is_spawner`: did `thread` spawn the task?
    pub(super) fn end(
        &self,
        thread: &Thread,
        node: u32,
        path: &Frame,
        (hub, follower): (u64, u64),
        is_spawner: bool,
    ) {
        if !thread.records() {
            return;
        }
        let begin = self.begin.get();
        let from = if is_spawner { self.from } else { 0 };
        let is_here = begin.position != 0 && ptr::eq(self.home.get(), thread);
        let blocks = self.blocks.borrow();
        let is_all_here = is_here && hub != 0 && blocks.iter().all(|block| block.is_all_of(thread));
        let tell_around = || {
            if let Some(around) = self.around.as_ref().filter(|_| is_all_here && is_spawner) {
                around.fetch_sub(1, Ordering::Relaxed);
            }
        };
        let is_tied = follower != 0 || self.follows.get();
        if is_all_here && !is_tied {
            let mut figures = begin.since(path);
            figures.tasks += 1;
            let bulk = Bulk {
                point: self.start.name,
                later: self.start.later,
                node,
                figures,
            };
            let (origin, to) = (self.start.origin, hub);
            if thread.record_folded_task(begin.position, from, Parcel { origin, to, bulk }) {
                return tell_around();
            }
        }
        for hub in [hub, follower] {
            if hub != 0 {
                thread.record(Item::Reach { hub, at: 0 });
            }
        }
        thread.record_lane_end(from);
        tell_around();
    }
}
