//! Stretches: trees of tiny tasks that share a reading of the clock.
//!
//! A reading of the clock costs more than a join of the runtime, so a tree of joins with nothing to
//! do between them cannot be measured strand by strand without becoming a different program. A
//! *stretch* is a branch of nothing but forks that is timed as a whole: the clock is read when its
//! first fork begins and when the branch ends. The structure stays exact: every fork is counted,
//! and every path keeps its strands. The work of the whole is exact, too; what is estimated is how
//! it divides among the strands: each is taken to be as long as its [kind](crate::tree::kinds)
//! usually is at the node. If the forks are of several nodes of the call tree, the work of each of
//! these is estimated, too. The span through the branch lies somewhere between nothing and the
//! whole of it. The whole is what the frame's `open` adds up, over the path on which it is
//! greatest: the span of the program is off by at most that.
//!
//! A stretch is opened for a branch that is expected to take less than the grain: its sibling took
//! less, or its fork is the successor or the child of one that did. Some such branches are measured
//! strand by strand all the same, as a sample of the kinds. There are two checks on the
//! expectation. The strand before the branch's first fork is measured, and if it is long no stretch
//! is opened. Anything else shows at the end: if a stretch takes longer than both the grain and four
//! times what so many strands usually take, all beyond what they usually take is put on the path as
//! one strand, since one long strand among short ones is the most likely cause, unless the machine
//! may have interrupted the program ([`Kinds::is_own`](crate::tree::kinds::Kinds::is_own)). After [`FORKS`] forks, or at any boundary
//! that is not a fork's, the stretch is broken off and the clock is read again. After a stretch of
//! more than four times the grain, none is opened for a while.
//!
//! Between stretches, the same holds for a single strand of a kind that is not much longer than the
//! engine's own work at a boundary: measuring it says little, so on the path it is taken to be as
//! long as the mean of its kind, and the difference adds to `open`. So is a longer strand that the
//! machine may have interrupted.
//!
//! With exact timing there are stretches, too: *timed* ones, in which the clock is read at every
//! boundary. They only keep the path at hand, and last until a boundary that is not such a fork's.
//!
//! The boundaries inside a stretch are not [guarded](crate::state::stop), except those at which the
//! path moves to another node. They touch numbers of their own thread and data on their own stack.
//! The frame is brought up to date when the stretch ends, and the writer of the profile may end it
//! between any two of these steps. It reads nothing of the stack, goes by one count of the numbers
//! ([`Stretch::count_up`]), and misses at most the boundary that was just passed.

use crate::path::frame::{Own, Position};
use crate::path::log::Part;
use crate::state::settings::Settings;
use crate::system::tally::Tally;
use crate::tree::kinds::{Kind, Kinds, Whole, KINDS};
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
    unread: Tally,
    /// Where the path stands while a stretch is open; the present frame is not touched meanwhile.
    pub(crate) depth: Tally,
    pub(crate) ahead: Tally,
    pub(crate) count: Tally,
    /// The strands that have ended, by kind.
    strands: [Strands; KINDS],
    /// In a timed stretch: own strands of the current branch, and those off the path ([`Own`]).
    own_branch: Tally,
    own_beside: Tally,
    /// In a timed stretch: own strands off the longest paths of the forks that have ended.
    lost: Tally,
    /// What `unread` began with.
    forks: Cell<i64>,
    /// Whether every strand is measured.
    timed: AtomicBool,
    /// Ticks of the strands measured.
    pub(crate) work: Tally,
    /// The call whose forks stay at the current node; 0 if none is known, and in a timed stretch.
    key: Cell<u64>,
    /// As `key`, in a timed stretch.
    timed_key: Cell<u64>,
    /// The node of the call tree that the running strand is at, twice, for a fork to copy. A signal
    /// handler may read it.
    node: AtomicU64,
    /// What the stretch has of each node; the current one is number `here`.
    visits: [Visit; NODES],
    visited: Cell<usize>,
    here: Cell<usize>,
    /// What the strands that are settled were taken to last.
    settled: Cell<i64>,
    /// Forks so far that led to another node.
    crossings: Cell<i64>,
    /// A call whose forks stay at a node, and that node.
    alike: Cell<(u64, u32)>,
    /// Where the path stood when the stretch began.
    begin: Cell<Position>,
    /// The node of the first fork of the last stretch.
    home: Cell<u32>,
    /// The boundary at which the branch of the open stretch began, or that of one which may be
    /// opened ([`Thread::at`](crate::thread::Thread)). The writer of the profile may clear it.
    opener: AtomicUsize,
    /// The boundary at which a branch began that might be a stretch, and is measured instead. 0:
    /// there is none.
    measured: Cell<usize>,
    /// Forks that may begin in it before the rest is taken for something else.
    still_measured: Cell<i64>,
    /// How long the next fork is expected to take, in ticks.
    expected: Cell<i64>,
    /// How many openings to pass over, and how many to pass over after the next stretch that takes
    /// more than four times the grain.
    passed_over: Cell<u32>,
    penalty: Cell<u32>,
    /// For the account of what the engine did: boundaries without a reading of the clock, forks
    /// that led to another node, stretches that ended with their branch, stretches that were broken
    /// off, and the ticks of all of them.
    pub(crate) boundaries: Tally,
    pub(crate) crossed: Tally,
    pub(crate) closed: Tally,
    pub(crate) broken: Tally,
    pub(crate) ticks: Tally,
}

/// The most nodes that a stretch may go through.
const NODES: usize = 6;

/// Strands of one kind.
#[derive(Default)]
struct Strands {
    /// What one at the present node is taken to last, in ticks.
    each: Cell<i64>,
    /// How many have ended. It only grows: the thread counts on unguarded while the writer of the
    /// profile ends its stretch.
    ended: Tally,
    /// As many are *settled*: counted for the nodes at which they ended.
    settled: Cell<i64>,
}

impl Strands {
    /// Those at the present node.
    fn unsettled(&self) -> i64 {
        self.ended.get() - self.settled.get()
    }
}

/// What a stretch has of one node.
#[derive(Default)]
struct Visit {
    node: Cell<u32>,
    /// What strands of each kind are taken to last.
    each: Cell<[i64; KINDS]>,
    /// Forks that have begun at the node.
    forks: Cell<i64>,
    /// Strands run at the node, and what all of them were taken to last.
    strands: Cell<i64>,
    taken: Cell<i64>,
    /// Top instances of the node that have ended, and what all strands in them were taken to last.
    tops: Cell<i64>,
    top_taken: Cell<i64>,
}

/// What a stretch has of a node: instances, and its share of all instances and strands.
pub(crate) struct Share {
    pub(crate) node: u32,
    pub(crate) forks: i64,
    all_forks: i64,
    taken: i64,
    all_taken: i64,
    tops: i64,
    top_taken: i64,
}

impl Share {
    /// The node's share of `ticks`, the time of all strands.
    pub(crate) fn of_ticks(&self, ticks: i64) -> i64 {
        (ticks as f64 * self.taken as f64 / self.all_taken.max(1) as f64) as i64
    }

    /// The part of `ticks`, those of the node, that lies off the longest paths of the node's
    /// instances: half, as if both branches of each fork were equally long.
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
        let whole = |taken: i64| (on_path * taken as f64) as i64;
        Part {
            count: (on_path * self.forks as f64) as u64,
            local: self.of_ticks(ticks),
            beside: self.beside(whole(self.taken)),
            top_count: (on_path * self.tops as f64).round() as u64,
            top_work: whole(self.top_taken),
        }
    }
}

/// Where the path of a stretch that ends stands, and how many boundaries were passed without a
/// reading of the clock.
pub(crate) struct Passed {
    pub(crate) position: Position,
    pub(crate) unread: i64,
}

/// What a stretch turned out to be.
pub(crate) struct Measured {
    /// Ticks that it took.
    pub(crate) ticks: i64,
    pub(crate) forks: i64,
    strands: i64,
    /// What the strands were taken to last.
    taken: i64,
    /// The most ticks that short strands explain.
    explained: i64,
}

impl Measured {
    /// Ticks that the strands do not explain, even if they took four times as long as usual.
    pub(crate) fn excess(&self) -> i64 {
        (self.ticks - self.explained).max(0)
    }

    /// How long the strand took that explains the [excess](Measured::excess), if the others took as
    /// long as usual; 0 without one.
    pub(crate) fn long_strand(&self) -> i64 {
        match self.excess() {
            0 => 0,
            _ => self.ticks - self.taken,
        }
    }

    /// What it shows of the strands of which it has `share`, if a reading of the clock costs
    /// `reading`. What they do not explain is another strand's.
    pub(crate) fn whole(&self, share: &Share, reading: i64) -> Whole {
        Whole {
            ticks: self.ticks - self.excess(),
            taken: self.taken,
            readings: reading * self.strands,
            share: share.taken as f32 / share.all_taken.max(1) as f32,
        }
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
        self.passed_over.set(0);
        self.penalty.set(0);
        let tallies = [
            &self.boundaries,
            &self.crossed,
            &self.closed,
            &self.broken,
            &self.ticks,
        ];
        for tally in tallies {
            tally.set(0);
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

    /// Whether another fork of `key` can begin in the open stretch without a reading of the clock.
    #[inline(always)]
    pub(crate) fn has_room(&self, key: u64) -> bool {
        self.unread.get() > 1 && self.key.get() == key
    }

    /// Whether a timed stretch is open in which another fork of `key` can begin.
    #[inline(always)]
    pub(crate) fn times(&self, key: u64) -> bool {
        self.is_timed() && self.timed_key.get() == key
    }

    /// Counts the strand of `kind` that ends now in the open stretch. Returns what it is taken to
    /// last.
    #[inline(always)]
    pub(crate) fn take_strand(&self, kind: Kind) -> i64 {
        let strands = &self.strands[kind.index()];
        strands.ended.add(1);
        strands.each.get()
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

    /// Opens a stretch: the branch's first fork, a call of `key` made at the first of two nodes and
    /// leading to the second, has begun where the path is at `position`. With the nodes comes what
    /// strands of each kind are taken to last there.
    pub(crate) fn open(&self, key: u64, nodes: [(u32, [i64; KINDS]); 2], position: Position) {
        self.begin_stretch(position, FORKS);
        self.timed.store(false, Ordering::Relaxed);
        self.begin.set(position);
        self.settled.set(0);
        self.crossings.set(0);
        self.visited.set(0);
        let [(from, _), (to, _)] = nodes;
        self.home.set(to);
        let [_, number] = nodes.map(|(node, each)| self.visit(node, each).unwrap_or(0));
        self.visits[number].forks.set(1);
        if from == to {
            self.alike.set((key, to));
        }
        self.stand_at(number);
    }

    /// The number of the visit to `node`, whose strands are taken to last `each`; `None` if there
    /// is no room for another.
    fn visit(&self, node: u32, each: [i64; KINDS]) -> Option<usize> {
        let known = self.visit_of(node);
        if known.is_some() {
            return known;
        }
        let visited = self.visited.get();
        let visit = self.visits.get(visited)?;
        visit.node.set(node);
        visit.each.set(each);
        visit.forks.set(0);
        visit.strands.set(0);
        visit.taken.set(0);
        visit.tops.set(0);
        visit.top_taken.set(0);
        self.visited.set(visited + 1);
        Some(visited)
    }

    fn visit_of(&self, node: u32) -> Option<usize> {
        self.visits[..self.visited.get()]
            .iter()
            .position(|visit| visit.node.get() == node)
    }

    /// Moves the path to the node of visit `number`.
    fn stand_at(&self, number: usize) {
        let visit = &self.visits[number];
        let node = visit.node.get();
        let (key, alike) = self.alike.get();
        self.here.set(number);
        for (strands, each) in self.strands.iter().zip(visit.each.get()) {
            strands.each.set(each);
            strands.settled.set(strands.ended.get());
        }
        self.set_node(node);
        self.key.set(if alike == node { key } else { 0 });
    }

    /// Adds the strands that have ended since the path came to the present node, and the forks that
    /// began where they ended, to what the stretch has of it.
    fn settle(&self) {
        for (kind, strands) in Kind::all().zip(&self.strands) {
            let ended = strands.unsettled();
            strands.settled.set(strands.settled.get() + ended);
            self.count(ended, strands.each.get());
            if kind.ends_at_fork() {
                let visit = &self.visits[self.here.get()];
                visit.forks.set(visit.forks.get() + ended);
            }
        }
    }

    /// Adds `strands` of the present node that are each taken to last `each`.
    fn count(&self, strands: i64, each: i64) {
        let visit = &self.visits[self.here.get()];
        visit.strands.set(visit.strands.get() + strands);
        visit.taken.set(visit.taken.get() + strands * each);
        self.settled.set(self.settled.get() + strands * each);
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

    /// As [`Stretch::begin_fork`], for a fork whose instance is at `node`, where strands are taken to
    /// last `each`, and that ends a strand of `kind`; `None` if that is not known or there is no room
    /// for another node.
    pub(crate) fn begin_fork_across(
        &self,
        node: u32,
        each: impl FnOnce() -> Option<[i64; KINDS]>,
        kind: Kind,
    ) -> Option<Position> {
        let to = match self.visit_of(node) {
            None => self.visit(node, each()?)?,
            Some(known) => known,
        };
        let at = self.begin_fork(self.take_strand(kind));
        self.settle();
        self.crossings.set(self.crossings.get() + 1);
        for (visit, forks) in [(self.here.get(), -1), (to, 1)] {
            let visit = &self.visits[visit];
            visit.forks.set(visit.forks.get() + forks);
        }
        self.stand_at(to);
        Some(at)
    }

    /// Counts the end of a top instance of the current node, before which strands had been taken to
    /// last `before` in all.
    pub(crate) fn end_top(&self, before: i64) {
        let visit = &self.visits[self.here.get()];
        visit.tops.set(visit.tops.get() + 1);
        let taken = self.taken() - before;
        visit.top_taken.set(visit.top_taken.get() + taken);
    }

    /// Moves the path back to `node`, where it was before.
    pub(crate) fn go_back(&self, node: u32) {
        self.settle();
        self.stand_at(self.visit_of(node).unwrap_or(self.here.get()));
    }

    /// What the stretch that [ends](Stretch::count_up) has of each node.
    pub(crate) fn shares(&self) -> impl Iterator<Item = Share> + '_ {
        let visits = &self.visits[..self.visited.get()];
        let sum = |of: fn(&Visit) -> i64| visits.iter().map(of).sum();
        let (all_forks, all_taken) = (sum(|visit| visit.forks.get()), sum(|v| v.taken.get()));
        visits.iter().map(move |visit| Share {
            node: visit.node.get(),
            forks: visit.forks.get(),
            all_forks,
            taken: visit.taken.get(),
            all_taken,
            tops: visit.tops.get(),
            top_taken: visit.top_taken.get(),
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

    /// The end of a path through the stretch, which took `ticks`, if it was taken to be at `position`:
    /// one thread ran the stretch, so no path through it is longer.
    pub(crate) fn within(&self, ticks: i64, position: Position) -> Position {
        Position {
            depth: position.depth.min(self.begin.get().depth + ticks),
            ..position
        }
    }

    /// As [`Stretch::open`], for a stretch in which the clock is read all the same. It has no limit
    /// of its own.
    pub(crate) fn open_timed(&self, key: u64, node: u32, position: Position, own: Own) {
        self.begin_stretch(position, i64::MAX / 2);
        self.key.set(0);
        self.timed_key.set(key);
        self.set_node(node);
        self.timed.store(true, Ordering::Relaxed);
        self.work.set(0);
        self.lost.set(0);
        self.set_own(own);
    }

    fn begin_stretch(&self, position: Position, forks: i64) {
        self.forks.set(forks);
        self.unread.set(forks);
        self.set_position(position);
    }

    /// Whether a timed stretch is open.
    #[inline(always)]
    pub(crate) fn is_timed(&self) -> bool {
        self.is_open() && self.timed.load(Ordering::Relaxed)
    }

    /// Ends a timed stretch.
    pub(crate) fn end_timed(&self) {
        self.unread.set(0);
    }

    /// Counts what is in the open stretch, which ends. The clock is read at the end of its `last`
    /// strand; a fork that begins there is not of the stretch. `None`: all strands have been counted.
    ///
    /// If this is the writer of the profile, the thread may count on meanwhile. So everything
    /// afterwards goes by what is counted here.
    pub(crate) fn count_up(&self, last: Option<Kind>) -> Passed {
        // First: the thread counts a strand before it puts it on the path.
        let mut position = self.position();
        self.settle();
        let unread = self.strands();
        if let Some(kind) = last {
            let each = self.strands[kind.index()].each.get();
            self.count(1, each);
            position.depth += each;
        }
        Passed { position, unread }
    }

    /// Ends the stretch that is [counted](Stretch::count_up), after `ticks` and `unread` boundaries.
    pub(crate) fn end(&self, ticks: i64, unread: i64, grain: i64) -> Measured {
        let taken = self.settled.get();
        let measured = Measured {
            ticks,
            forks: self.shares().map(|share| share.forks).sum(),
            strands: self.strands(),
            taken,
            explained: grain.max(4 * taken),
        };
        self.unread.set(0);
        self.opener.store(0, Ordering::Relaxed);
        self.boundaries.add(unread);
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

    /// What the strands of the open stretch that have ended were taken to last in all.
    pub(crate) fn taken(&self) -> i64 {
        let here = |strands: &Strands| strands.unsettled() * strands.each.get();
        self.settled.get() + self.strands.iter().map(here).sum::<i64>()
    }

    /// How many strands of the stretch are settled.
    fn strands(&self) -> i64 {
        let visits = &self.visits[..self.visited.get()];
        visits.iter().map(|visit| visit.strands.get()).sum()
    }

    /// Forks so far in the open stretch that led to another node.
    pub(crate) fn crossings(&self) -> i64 {
        self.crossings.get()
    }

    /// Expects the next fork to take `ticks`.
    #[inline]
    pub(crate) fn expect(&self, ticks: i64) {
        self.expected.set(ticks);
        self.opener.store(0, Ordering::Relaxed);
    }

    /// Expects nothing in particular: the thread runs something else from here on.
    #[inline]
    pub(crate) fn expect_nothing(&self) {
        self.expect(LONG);
        self.measured.set(0);
    }

    /// Whether the thread is in a branch that might be a stretch, and is measured instead.
    #[inline]
    pub(crate) fn is_measured(&self) -> bool {
        self.measured.get() != 0
    }

    /// The branch that began at the boundary `at` has ended.
    #[inline]
    pub(crate) fn end_measured(&self, at: usize) {
        if self.measured.get() == at {
            self.measured.set(0);
        }
    }

    /// What the left branch of the next fork is expected to take: less than the fork, by an unknown
    /// amount. In a balanced tree it takes half of it, in that of Fibonacci's numbers 0.62 of it.
    #[inline]
    pub(crate) fn expected_of_left(&self) -> i64 {
        self.expected.get() / 8 * 5
    }

    /// The branch that begins at the boundary `at` is expected to take `ticks`. It may be a stretch
    /// if that is less than the grain, and if the `kinds` of its strands need not be measured.
    #[inline]
    pub(crate) fn consider(&self, at: usize, ticks: i64, settings: &Settings, kinds: &Kinds) {
        let Settings {
            grain,
            measured_forks: first,
            ..
        } = *settings;
        self.expected.set(ticks);
        let still_measured = self.still_measured.get() - 1;
        self.still_measured.set(still_measured);
        // The branch may hold all that the thread has yet to run.
        if still_measured < 0 {
            self.measured.set(0);
        }
        let mut may = ticks < grain && self.measured.get() == 0;
        if may && self.passed_over.get() > 0 {
            self.passed_over.set(self.passed_over.get() - 1);
            may = false;
        }
        if may && kinds.is_due(first) {
            self.measured.set(at);
            self.still_measured.set(FORKS);
            may = false;
        }
        self.opener
            .store(if may { at } else { 0 }, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
