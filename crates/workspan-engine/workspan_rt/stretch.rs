//! Stretches: trees of tiny tasks that share a reading of the clock.
//!
//! A reading of the clock costs more than a join of the runtime, so a tree of joins with nothing to
//! do between them cannot be measured strand by strand without becoming a different program. A
//! *stretch* is a branch of nothing but forks that is timed as a whole: the clock is read when its
//! first fork begins and when the branch ends. The structure stays exact: every fork is counted,
//! and every path keeps its strands. So does the work; if the forks are of several nodes of the
//! call tree, it is divided among these in proportion to their strands. What is estimated is how
//! the time divides among the strands: each is taken to be as long as the mean strand of recent
//! stretches at the node. So the span through the branch is an estimate, and lies somewhere between
//! nothing and the whole of it. The whole is what the frame's `open` adds up, over the path on
//! which it is greatest: the span of the program is off by at most that.
//!
//! A stretch is opened for a branch that is expected to take less than the grain: its sibling took
//! less, or its fork is the successor or the child of one that did. There are two checks on that
//! expectation. The strand before the branch's first fork is measured, and if it is long no stretch
//! is opened. Anything else shows at the end: time beyond both the grain and four times what so
//! many strands usually take is put on the path as one strand, since one long strand among short
//! ones is the most likely cause. After [`FORKS`] forks, or at any boundary that is not a fork's,
//! the stretch is broken off and the clock is read again. After a stretch of more than four times
//! the grain, none is opened for a while.
//!
//! Between stretches, the same holds for a single strand that is not much longer than the engine's
//! own work at a boundary: measuring it says little, so on the path it is taken to be as long as
//! the mean, and the difference adds to `open`.
//!
//! With exact timing there are stretches, too: *timed* ones, in which the clock is read at every
//! boundary. They only keep the path at hand, and last until a boundary that is not such a fork's.
//!
//! The boundaries inside a stretch are not [guarded](crate::stop), except those at which the path
//! moves to another node. They touch numbers of their own thread, which the writer of the profile
//! may read at any time, and data on their own stack, of which it reads nothing. The frame is
//! brought up to date when the stretch ends. So a profile written while a stretch is open misses at
//! most the strand that was just ending.

use crate::frame::{Own, Position};
use crate::log::Part;
use crate::table::Counter;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// One more than the number of forks that may begin in a stretch after its first.
const FORKS: i64 = 1024;

/// The expectation where nothing is known.
const LONG: i64 = i64::MAX / 2;

/// The state of one thread's stretches.
#[derive(Default)]
pub(crate) struct Stretch {
    /// One more than the number of forks that may still begin before the clock must be read. 0
    /// while no stretch is open.
    unread: Counter,
    /// Where the path stands while a stretch is open; the present frame is not touched meanwhile.
    pub(crate) depth: Counter,
    pub(crate) ahead: Counter,
    pub(crate) count: Counter,
    /// In a timed stretch: own strands of the current branch, and those off the path ([`Own`]).
    own_branch: Counter,
    own_beside: Counter,
    /// In a timed stretch: own strands off the longest paths of the forks that have ended.
    lost: Counter,
    /// What `unread` began with.
    forks: Cell<i64>,
    /// Whether every strand is measured.
    timed: AtomicBool,
    /// Ticks of the strands measured.
    pub(crate) work: Counter,
    /// The call whose forks stay at the current node; 0 if none is known.
    key: Cell<u64>,
    /// The node of the call tree that the running strand is at, twice, for a fork to copy. A signal
    /// handler may read it.
    node: AtomicU64,
    /// What the stretch has of each node; the current one is number `here`.
    visits: [Visit; NODES],
    visited: Cell<usize>,
    here: Cell<usize>,
    /// What `unread` was when the path last moved to another node.
    mark: Cell<i64>,
    /// Forks so far that led to another node.
    crossings: Cell<i64>,
    /// A call whose forks stay at a node, and that node.
    alike: Cell<(u64, u32)>,
    /// Where the path stood when the stretch began.
    begin: Cell<Position>,
    /// The node of the first fork of the last stretch, to which `each` belongs.
    home: Cell<u32>,
    /// The boundary at which the branch of the open stretch began, or that of one which may be
    /// opened ([`Thread::at`](crate::thread::Thread)). The writer of the profile may clear it.
    opener: AtomicUsize,
    /// What a strand is taken to last while the stretch is open, in ticks: the mean of recent
    /// stretches at the node. 0 before the first.
    each: Cell<i64>,
    /// How long the next fork is expected to take, in ticks.
    expected: Cell<i64>,
    /// How many openings to pass over, and how many to pass over after the next stretch that takes
    /// more than four times the grain.
    passed_over: Cell<u32>,
    penalty: Cell<u32>,
    /// For the account of what the engine did: boundaries without a reading of the clock, forks
    /// that led to another node, stretches that ended with their branch, stretches that were broken
    /// off, and the ticks of all of them.
    pub(crate) boundaries: Counter,
    pub(crate) crossed: Counter,
    pub(crate) closed: Counter,
    pub(crate) broken: Counter,
    pub(crate) ticks: Counter,
}

/// The most nodes that a stretch may go through.
const NODES: usize = 6;

/// What a stretch has of one node.
#[derive(Default)]
struct Visit {
    node: Cell<u32>,
    /// Instances of the node that have begun.
    forks: Cell<i64>,
    /// Strands run at the node.
    strands: Cell<i64>,
    /// Top instances of the node that have ended, and all strands that ran in them.
    tops: Cell<i64>,
    top_strands: Cell<i64>,
}

impl Visit {
    fn add(&self, forks: i64, strands: i64) {
        self.forks.set(self.forks.get() + forks);
        self.strands.set(self.strands.get() + strands);
    }
}

/// What a stretch has of a node: instances, and its share of all instances and strands.
pub(crate) struct Share {
    pub(crate) node: u32,
    pub(crate) forks: i64,
    all_forks: i64,
    strands: i64,
    all_strands: i64,
    tops: i64,
    top_strands: i64,
    /// What a strand was taken to last.
    each: i64,
}

impl Share {
    /// The node's share of `ticks`, the time of all strands.
    pub(crate) fn of_ticks(&self, ticks: i64) -> i64 {
        (ticks as f64 * self.strands as f64 / self.all_strands as f64) as i64
    }

    /// The part of `ticks`, those of the node, that lies off the longest paths of the node's
    /// instances: half, since all strands are taken to be equally long, and so the branches of a
    /// fork, too.
    pub(crate) fn beside(&self, ticks: i64) -> i64 {
        if self.forks > 0 {
            ticks / 2
        } else {
            0
        }
    }

    /// The node's share of a path of `instances` and `ticks`.
    pub(crate) fn of_path(&self, instances: u64, ticks: i64) -> Part {
        // The fraction of the stretch's instances that lies on the path.
        let on_path = instances as f64 / self.all_forks.max(1) as f64;
        let whole = |strands: i64| (on_path * (strands * self.each) as f64) as i64;
        Part {
            count: (on_path * self.forks as f64) as u64,
            local: self.of_ticks(ticks),
            beside: self.beside(whole(self.strands)),
            top_count: (on_path * self.tops as f64).round() as u64,
            top_work: whole(self.top_strands),
        }
    }
}

/// What a stretch turned out to be.
pub(crate) struct Measured {
    /// Ticks that it took.
    pub(crate) ticks: i64,
    /// The number of its strands, at most.
    pub(crate) strands: i64,
    /// What so many strands were taken to last.
    taken: i64,
    /// The most ticks that short strands explain.
    explained: i64,
}

impl Measured {
    /// Ticks that so many strands of the usual kind do not explain, even if they took four times as
    /// long.
    pub(crate) fn excess(&self) -> i64 {
        (self.ticks - self.explained).max(0)
    }

    /// The fraction of the stretch that a path of `ticks` through it takes up.
    pub(crate) fn share_of(&self, ticks: i64) -> f64 {
        (ticks as f64 / self.ticks.max(1) as f64).clamp(0.0, 1.0)
    }

    /// How far the estimate of any path through the stretch can be off.
    pub(crate) fn open(&self) -> i64 {
        self.ticks.max(self.taken)
    }
}

impl Stretch {
    /// Forgets everything, for a new session.
    pub(crate) fn clear(&self) {
        self.unread.set(0);
        self.home.set(u32::MAX);
        self.alike.set((0, u32::MAX));
        self.each.set(0);
        self.passed_over.set(0);
        self.penalty.set(0);
        let counters = [
            &self.boundaries,
            &self.crossed,
            &self.closed,
            &self.broken,
            &self.ticks,
        ];
        for counter in counters {
            counter.set(0);
        }
        self.expect_nothing();
    }

    /// The boundary at which the branch of the stretch began, open or yet to be opened; 0 for none.
    #[inline(always)]
    pub(crate) fn opener(&self) -> usize {
        self.opener.load(Ordering::Relaxed)
    }

    /// Whether a stretch is open.
    #[inline(always)]
    pub(crate) fn is_open(&self) -> bool {
        self.unread.get() != 0
    }

    /// Whether another fork of `key` can begin in the open stretch.
    #[inline(always)]
    pub(crate) fn has_room(&self, key: u64) -> bool {
        self.unread.get() > 1 && self.key.get() == key
    }

    /// Whether every strand of the open stretch is measured.
    #[inline(always)]
    pub(crate) fn measures(&self) -> bool {
        self.timed.load(Ordering::Relaxed)
    }

    /// What the strand that ends now in the open stretch is taken to last; `None` if it is to be
    /// measured.
    #[inline(always)]
    pub(crate) fn taken_strand(&self) -> Option<i64> {
        (!self.timed.load(Ordering::Relaxed)).then(|| self.each.get())
    }

    /// The mean strand of recent stretches.
    pub(crate) fn usual_strand(&self) -> i64 {
        self.each.get()
    }

    /// Ends a strand of the open stretch and begins a fork there. Returns where the path stands.
    #[inline(always)]
    pub(crate) fn begin_fork(&self, strand: i64) -> Position {
        self.unread.add(-1);
        let at = Position {
            depth: self.depth.get() + strand,
            ahead: self.ahead.get(),
            count: self.count.get() as u64,
        };
        self.depth.set(at.depth);
        self.count.set(at.count as i64 + 1);
        at
    }

    #[inline(always)]
    pub(crate) fn own(&self) -> Own {
        Own {
            branch: self.own_branch.get(),
            beside: self.own_beside.get(),
        }
    }

    #[inline(always)]
    pub(crate) fn set_own(&self, own: Own) {
        self.own_branch.set(own.branch);
        self.own_beside.set(own.beside);
    }

    /// Ends a strand of the open stretch.
    #[inline(always)]
    pub(crate) fn end_strand(&self, strand: i64) {
        self.depth.add(strand);
    }

    /// Adds a strand of a timed stretch to its branch.
    #[inline(always)]
    pub(crate) fn add_own(&self, strand: i64) {
        self.work.add(strand);
        self.own_branch.add(strand);
    }

    /// Adds own strands off the longest path of a fork that has ended in a timed stretch.
    pub(crate) fn lose(&self, ticks: i64) {
        self.lost.add(ticks);
    }

    /// Ticks of own strands off the longest paths of the forks that have ended in the timed
    /// stretch.
    pub(crate) fn lost(&self) -> i64 {
        self.lost.get()
    }

    /// Where the path of the open stretch stands.
    #[inline(always)]
    pub(crate) fn position(&self) -> Position {
        Position {
            depth: self.depth.get(),
            ahead: self.ahead.get(),
            count: self.count.get() as u64,
        }
    }

    #[inline(always)]
    pub(crate) fn set_position(&self, position: Position) {
        self.depth.set(position.depth);
        self.ahead.set(position.ahead);
        self.count.set(position.count as i64);
    }

    /// Forks that have begun in the open stretch since its first.
    pub(crate) fn begun(&self) -> i64 {
        self.forks.get() - self.unread.get()
    }

    /// The mean strand of recent stretches at `node`, if that is where they were.
    #[inline]
    pub(crate) fn usual(&self, node: u32) -> Option<i64> {
        Some(self.each.get()).filter(|each| *each > 0 && self.home.get() == node)
    }

    /// Opens a stretch: the branch's first fork, a call of `key` made at node `from` and leading to
    /// node `to`, has begun where the path is at `position`. `strand` is the first estimate of a
    /// strand, at least 1.
    pub(crate) fn open(&self, key: u64, from: u32, to: u32, position: Position, strand: i64) {
        self.begin_stretch(0, position, FORKS);
        self.timed.store(false, Ordering::Relaxed);
        if self.home.replace(to) != to {
            self.each.set(0);
        }
        if self.each.get() == 0 {
            self.each.set(strand);
        }
        self.begin.set(position);
        self.mark.set(FORKS);
        self.crossings.set(0);
        self.visited.set(0);
        // The strand that ends the branch, and the two that end the first fork's branches.
        let from = self.visit(from).unwrap_or(0);
        self.visits[from].add(0, 1);
        let to_number = self.visit(to).unwrap_or(0);
        self.visits[to_number].add(1, 2);
        if from == to_number {
            self.alike.set((key, to));
        }
        self.stand_at(to_number);
    }

    /// The number of the visit to `node`; `None` if there is no room for another.
    fn visit(&self, node: u32) -> Option<usize> {
        let visited = self.visited.get();
        let known = self.visits[..visited]
            .iter()
            .position(|visit| visit.node.get() == node);
        if known.is_some() {
            return known;
        }
        let visit = self.visits.get(visited)?;
        visit.node.set(node);
        visit.forks.set(0);
        visit.strands.set(0);
        visit.tops.set(0);
        visit.top_strands.set(0);
        self.visited.set(visited + 1);
        Some(visited)
    }

    /// Moves the path to the node of visit `number`.
    fn stand_at(&self, number: usize) {
        let node = self.visits[number].node.get();
        let (key, alike) = self.alike.get();
        self.here.set(number);
        self.set_node(node);
        self.key.set(if alike == node { key } else { 0 });
    }

    /// Counts the forks that have stayed at the current node since the path came there.
    fn settle(&self) {
        let forks = self.mark.replace(self.unread.get()) - self.unread.get();
        self.visits[self.here.get()].add(forks, 3 * forks);
    }

    /// The node of the first fork of the last stretch.
    pub(crate) fn home(&self) -> u32 {
        self.home.get()
    }

    /// The node that the running strand is at, in an open stretch.
    #[inline(always)]
    pub(crate) fn node(&self) -> u32 {
        self.node_twice() as u32
    }

    /// As [`Stretch::node`], in both halves of the word.
    #[inline(always)]
    pub(crate) fn node_twice(&self) -> u64 {
        self.node.load(Ordering::Relaxed)
    }

    fn set_node(&self, node: u32) {
        self.node
            .store(u64::from(node) << 32 | u64::from(node), Ordering::Relaxed);
    }

    /// Whether a fork that is not known to stay at the node can begin in the open stretch.
    pub(crate) fn has_room_across(&self) -> bool {
        self.unread.get() > 1 && !self.timed.load(Ordering::Relaxed)
    }

    /// Notes that forks of `key` stay at the current node.
    pub(crate) fn learn_alike(&self, key: u64) {
        self.alike.set((key, self.node()));
        self.key.set(key);
    }

    /// As [`Stretch::begin_fork`], for a fork whose instance is at `node`; `None` if there is no
    /// room for another node.
    pub(crate) fn begin_fork_across(&self, node: u32) -> Option<Position> {
        let to = self.visit(node)?;
        self.settle();
        let at = self.begin_fork(self.each.get());
        self.crossings.set(self.crossings.get() + 1);
        self.mark.set(self.unread.get());
        self.visits[self.here.get()].add(0, 1);
        self.visits[to].add(1, 2);
        self.stand_at(to);
        Some(at)
    }

    /// Counts the end of a top instance of the current node, in which `forks` others have begun.
    pub(crate) fn end_top(&self, forks: i64) {
        let visit = &self.visits[self.here.get()];
        visit.tops.set(visit.tops.get() + 1);
        visit
            .top_strands
            .set(visit.top_strands.get() + 2 + 3 * forks);
    }

    /// Moves the path back to `node`, where it was before.
    pub(crate) fn go_back(&self, node: u32) {
        self.settle();
        let number = self.visit(node).unwrap_or(self.here.get());
        self.stand_at(number);
    }

    /// What the stretch that ends has of each node.
    pub(crate) fn shares(&self) -> impl Iterator<Item = Share> + '_ {
        self.settle();
        let visits = &self.visits[..self.visited.get()];
        let sum = |of: fn(&Visit) -> i64| visits.iter().map(of).sum();
        let (all_forks, all_strands) = (sum(|visit| visit.forks.get()), sum(|v| v.strands.get()));
        visits.iter().map(move |visit| Share {
            node: visit.node.get(),
            forks: visit.forks.get(),
            all_forks,
            strands: visit.strands.get(),
            all_strands,
            tops: visit.tops.get(),
            top_strands: visit.top_strands.get(),
            each: self.each.get(),
        })
    }

    /// Where the path stood when the stretch began, before its first instance.
    pub(crate) fn begin(&self) -> Position {
        let begin = self.begin.get();
        Position {
            count: begin.count - 1,
            ..begin
        }
    }

    /// As [`Stretch::open`], for a stretch in which the clock is read all the same. It has no limit
    /// of its own.
    pub(crate) fn open_timed(&self, key: u64, node: u32, position: Position, own: Own) {
        self.begin_stretch(key, position, i64::MAX / 2);
        self.set_node(node);
        self.timed.store(true, Ordering::Relaxed);
        self.work.set(0);
        self.lost.set(0);
        self.set_own(own);
    }

    fn begin_stretch(&self, key: u64, position: Position, forks: i64) {
        self.forks.set(forks);
        self.unread.set(forks);
        self.key.set(key);
        self.set_position(position);
    }

    /// Whether a timed stretch is open.
    pub(crate) fn is_timed(&self) -> bool {
        self.is_open() && self.measures()
    }

    /// Ends a timed stretch.
    pub(crate) fn end_timed(&self) {
        self.unread.set(0);
    }

    /// Ends the open stretch after `ticks`. Its first fork began with a reading of the clock and
    /// has two more boundaries; every other fork has three.
    pub(crate) fn end(&self, ticks: i64, grain: i64) -> Measured {
        let forks = self.begun();
        let measured = Measured {
            ticks,
            strands: 3 * forks + 3,
            taken: self.taken(),
            explained: grain.max(4 * self.taken()),
        };
        self.unread.set(0);
        self.mark.set(0);
        self.opener.store(0, Ordering::Relaxed);
        self.boundaries.add(3 * forks + 2);
        self.crossed.add(self.crossings.get());
        self.ticks.add(ticks);
        if ticks > 4 * grain {
            let penalty = self.penalty.get();
            self.passed_over.set(penalty);
            self.penalty.set((2 * penalty + 16).min(1 << 16));
        } else {
            self.penalty.set(self.penalty.get() / 2);
        }
        measured
    }

    /// Learns from a stretch that ended with its branch. Returns what it adds to the path beyond
    /// its strands.
    pub(crate) fn close(&self, measured: &Measured) -> i64 {
        self.closed.add(1);
        let each = self.each.get();
        let mean = measured.ticks / measured.strands;
        // An eighth of the way towards the mean, and at least one tick.
        let step = mean.clamp(1, 4 * each) - each;
        self.each.set(each + (step + 7 * step.signum()) / 8);
        measured.excess()
    }

    /// What the strands of the open stretch are taken to last in all, at most.
    pub(crate) fn taken(&self) -> i64 {
        (3 * self.begun() + 3) * self.each.get()
    }

    /// Boundaries so far in the open stretch, at most.
    pub(crate) fn unread_boundaries(&self) -> i64 {
        3 * self.begun() + 2
    }

    /// Forks so far in the open stretch that led to another node.
    pub(crate) fn crossings(&self) -> i64 {
        self.crossings.get()
    }

    /// Expects the next fork to take `ticks`.
    #[inline]
    pub(crate) fn expect(&self, ticks: i64) {
        self.expected.set(ticks);
    }

    /// Expects nothing in particular: the thread runs something else from here on.
    #[inline]
    pub(crate) fn expect_nothing(&self) {
        self.expected.set(LONG);
        self.opener.store(0, Ordering::Relaxed);
    }

    /// What the left branch of the next fork is expected to take: less than the fork, by an unknown
    /// amount. In a balanced tree it takes half of it, in that of Fibonacci's numbers 0.62 of it.
    #[inline]
    pub(crate) fn expected_of_left(&self) -> i64 {
        self.expected.get() / 8 * 5
    }

    /// The branch that begins at the boundary `at` is expected to take `ticks`. It may be a stretch
    /// if that is less than `grain`.
    #[inline]
    pub(crate) fn consider(&self, at: usize, ticks: i64, grain: i64) {
        self.expected.set(ticks);
        let mut may = ticks < grain;
        if may && self.passed_over.get() > 0 {
            self.passed_over.set(self.passed_over.get() - 1);
            may = false;
        }
        self.opener
            .store(if may { at } else { 0 }, Ordering::Relaxed);
    }
}
