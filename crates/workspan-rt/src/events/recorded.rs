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
//! A task is folded into one entry if one thread ran all of it, with all that it made, and if it has to do with nobody but
//! whoever awaits it. Of any task, what it does up to a wait is folded if the thread ran all of that ([`Block`]).

use super::block::Block;
use super::hub::Hub;
use super::start::{SpawnPoint, Start};
use super::task::Inner;
use crate::frame::Frame;
use crate::record::{Beginning, Bulk, Figures, Item, Origin, Parcel, AWAITED_BY_END, NOWHERE};
use crate::thread::Thread;
use std::cell::{Cell, RefCell};
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
    /// What it has made since it last waited: in each of its scopes that are open, the innermost last.
    blocks: RefCell<Vec<Block>>,
    /// How many of its block are elsewhere, for whom it is made, and where that began in the record of the maker's thread.
    around: Option<Arc<AtomicUsize>>,
    from: u64,
    /// Does it follow others?
    follows: Cell<bool>,
}

impl Recorded {
    /// Of a task that is made in a block of which `around` tells.
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

    /// Of a part of a construct that begins at position `from` in the record of its maker's thread, and counts it itself.
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

    /// What a task that is made now by `thread`, which runs this one, needs to know.
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

    /// Where the task's latest block that has begun does so in the record of `thread`, or else the task; 0 if not there.
    fn position_on(&self, thread: &Thread) -> u64 {
        let blocks = self.blocks.borrow();
        match blocks.iter().rev().find(|block| block.has_begun()) {
            Some(block) => block.position_on(thread),
            None if ptr::eq(self.home.get(), thread) => self.begin.get().position,
            None => 0,
        }
    }

    /// The task has to do with others than those that it makes: neither it nor what it does at present is folded.
    pub(super) fn keep_structure(&self) {
        self.begin.set(NOWHERE);
        self.blocks.borrow().iter().for_each(Block::add_elsewhere);
    }

    /// The task follows that of `before`. Gives back whether both are of one block.
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

    /// A construct of `node` begins with the next entry, in `frame`.
    fn begin_block(&self, thread: &Thread, frame: &Frame, node: u32) {
        let has_begun = self.with_block(|block| block.has_begun());
        if !has_begun {
            // What holds the block's beginning cannot be folded before the block has ended.
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

    /// The task, in `frame`, spawns one at `node` that it goes on after.
    pub(super) fn spawn_serially(&self, thread: &Thread, frame: &Frame, node: u32) -> Start {
        if !thread.records() {
            return Start::NOWHERE;
        }
        self.begin_block(thread, frame, node);
        let hub = thread.recorder.new_name();
        self.record(thread, Item::Reach { hub, at: 0 });
        Start::at_hub(hub, false)
    }

    /// The next task spawned begins at a point of its own.
    pub(super) fn forget_point(&self) {
        self.point.set(SpawnPoint::NONE);
    }

    /// The strand of the task goes on after `hub`, too, which others than its block have led to.
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

    /// Makes a block for what is made in a scope that begins.
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

    /// The same scope ends, whose tasks the path of `frame` goes on after; these led to `hubs`.
    pub(super) fn end_scope(&self, thread: &Thread, frame: &Frame, hubs: [u64; 2]) {
        self.end_block(thread, frame, hubs);
        self.blocks.borrow_mut().pop();
    }

    /// The path of `frame` goes on after a task spawned serially, which led to `hub`. `is_alone`: no other has ended that the
    /// task has not waited for.
    pub(super) fn return_from(&self, thread: &Thread, frame: &Frame, hub: u64, is_alone: bool) {
        if is_alone && thread.records() && self.with_block(|block| block.is_all_of(thread)) {
            self.end_block(thread, frame, [hub]);
        } else {
            self.continue_after(thread, hub);
        }
    }

    /// The path of `frame` goes on after all that was made in the present block; that led to `hubs`.
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

    /// `thread` begins the task, whose path stands in `frame`, after all `others` as well.
    /// `is_tied`: are these not all of its own block?
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

    /// The task is left in no construct. Its path leads to a hub of its own.
    pub(super) fn leave(&self, thread: &Thread, frame: *mut Frame) {
        let hub = self.own.name(thread);
        self.reach(thread, frame, hub);
    }

    /// The task is left in a construct of node `edge`, which begins in `frame`, and its lane ends there if it `ends`. Gives back
    /// the hub that its path leads to.
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

    /// Such a construct has ended: the path of `frame` goes on behind it, after `hub`, and `more` tasks were made in it than
    /// the frame tells of. Says whether the record has one entry in its place.
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

    /// The member of a team is left at a barrier, where its path, in `standing`, leads to `hub`.
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

    /// `thread` goes on with the task that it has open in its record, around what it did meanwhile: what was only left of that may
    /// be folded when it ends, but without what the task does from here on.
    pub(super) fn come_back(&self, thread: &Thread) {
        if thread.records() {
            thread.recorder.obstruct(self.position_on(thread));
        }
    }

    /// `thread` enters the member of a team again, which goes on in `frame` after the `hub` of a barrier.
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

    /// The strand of the serial code of a thread is left in a construct, and goes on after `hub`.
    pub(super) fn enter_serial_code(&self, thread: &Thread, hub: u64) {
        let own = self.own.take();
        self.continue_after(thread, if hub == 0 { own } else { hub });
    }

    /// The part of a construct that stands in `path` is over: takes it out of the record, if `thread` has run all of it, and
    /// it is of less work than the grain. Gives back what it was, and whether another thread could have taken it.
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
                node: inner.node,
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
