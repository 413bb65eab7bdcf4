//! The record of the task dag: which strands there were, and what waited for what.
//!
//! Each thread writes down what it comes by, in a [`window`] of its own: strands, and where constructs begin and end. A
//! path that one thread runs is a *lane*; when a thread that waits runs something else meanwhile, that is a lane within
//! the lane. Lanes of other threads, and tasks, are named by numbers.
//!
//! A construct that ends is replaced by one entry if it is of less work than the grain and if all of it ran here. So the
//! entries are as many as the work holds grains, whatever the number of tasks. A window that is full goes to the
//! [`stream`], its older half first, some kilobytes at a time; what has gone there is not folded any more. The time that takes is no strand's.
//!
//! With each [part](stream::Written::Large) of the stream the grain doubles, so that the record of a long run grows with the
//! logarithm of its work. Who reads it is told the last grain, than which nothing is folded coarser. What cannot be folded, and
//! a record of every strand, ends at [a limit](Recording::most_bytes).
//!
//! In a [stretch](crate::stretch) nothing is recorded. Where it ends it is one folded entry. If forks that began in it are
//! open then, a *mark* is left, and where such a fork comes to the end of its left branch it says behind which mark that
//! began, as if it had begun there. So the record is off by less than the stretch took, like the profile's own estimate.
//! Which stretch a fork began in is told by stack addresses. Where a task goes on on another stack that may be another or
//! none: then the record has one task too many, and the two branches of such a fork one after the other.
//!
//! Tasks of runtimes that tell by [events](crate::events) are lanes of their own kind, which hubs order.
//!
//! # Who touches a window
//!
//! The thread that the data belongs to, in its [guarded](crate::stop) bookkeeping; and the writer of the profile, after
//! it has stopped the world and every thread has come out of its bookkeeping. Of the stream each writes whole blocks, under
//! its lock. What a fork keeps of its right branch's lane is written by the thread that runs it, before the runtime's latch.
//!
//! # When it cannot be written
//!
//! What has been written stays, as a record without an end. The threads are told to record no more by the session's
//! settings; until a thread looks there its window is emptied into nothing. Nothing else changes for the program.

mod encoding;
mod item;
mod stream;
mod window;

use item::Folded;
pub(crate) use item::{Bulk, Figures, Item, Origin, Parcel};

use crate::frame::{Frame, Position};
use crate::session::{self, Settings};
use crate::stretch::Measured;
use crate::thread::{self, Thread};
use std::cell::{Cell, RefCell};
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};
pub(crate) use stream::go_on_in;
use stream::Written;
use window::Window;

/// How a session is recorded.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The file that the record goes to.
    pub path: std::path::PathBuf,
    /// Subtrees of less work are folded, in nanoseconds (of a virtual clock, ticks); 0: every strand is kept, and timed by
    /// itself.
    pub grain: i64,
    /// How many bytes the record may have: with more it ends, and with it what is known of the dag.
    pub most_bytes: u64,
}

impl Recording {
    /// [`Recording::most_bytes`] unless told: at some dozen bytes a vertex, an analysis takes a few gigabytes of memory.
    pub const MOST_BYTES: u64 = 256 << 20;
}

/// Who awaits a task, beside [groups](Recorder::new_name), whose number 2 is added to.
pub(crate) const AWAITED_BY_END: u64 = 0;
pub(crate) const AWAITED_BY_JOINER: u64 = 1;
pub(crate) const AWAITED_BY_GROUP: u64 = 2;

/// What a thread has recorded and not yet written.
pub(crate) struct Recorder {
    window: RefCell<Window>,
    /// What has left the window and is not yet written.
    bytes: RefCell<Vec<u8>>,
    /// The thread's number in the stream; `None` before its first entry.
    number: Cell<Option<u32>>,
    /// Numbers of lanes and constructs that are this thread's to give, up to the second.
    names: Cell<(u64, u64)>,
    /// Stretches that were broken off: stack address of the boundary at which each began, and its mark.
    marks: RefCell<Vec<(usize, u64)>>,
    /// Forks that are open here.
    forks: Cell<usize>,
    /// Time at which the window was last written.
    written: Cell<i64>,
    /// Position from which on nothing is to be kept; 0 while all is.
    aside: Cell<u64>,
}

static NUMBERS: AtomicU32 = AtomicU32::new(0);
static NAMES: AtomicU64 = AtomicU64::new(1);

/// How many bytes are written at once, at least.
const BYTES: usize = 1 << 13;

/// How many names a thread takes at once.
const NAMES_AT_ONCE: u64 = 1 << 12;

/// What [`Beginning`] is where nothing is recorded.
pub(crate) const NOWHERE: Beginning = Beginning {
    position: 0,
    depth: 0,
    burdened: 0,
    work: 0,
    spawns: 0,
};

/// Where a construct begins: in the record, and on the path that goes on after it.
#[derive(Clone, Copy)]
pub(crate) struct Beginning {
    pub(crate) position: u64,
    depth: i64,
    burdened: i64,
    work: i64,
    spawns: i64,
}

impl Beginning {
    /// At the present end of the path of `frame`.
    #[inline]
    pub(crate) fn at(position: u64, frame: &Frame) -> Self {
        Self {
            position,
            depth: frame.depth,
            burdened: frame.burdened(),
            work: frame.effort.work,
            spawns: frame.effort.spawns,
        }
    }

    /// The same, recorded: a fork of `node` begins there, whose task is counted already.
    pub(crate) fn before_fork(thread: &Thread, frame: &Frame, node: u32) -> Self {
        let forks = &thread.recorder.forks;
        forks.set(forks.get() + 1);
        let mut begin = thread.record_begin(frame, Item::Fork { node });
        begin.spawns -= 1;
        begin
    }

    /// What has been added since to the path of `frame`, and done there.
    #[inline]
    pub(crate) fn since(&self, frame: &Frame) -> Figures {
        Figures {
            work: frame.effort.work - self.work,
            span: frame.depth - self.depth,
            burdened: frame.burdened() - self.burdened,
            tasks: (frame.effort.spawns - self.spawns) as u32,
        }
    }
}

impl Recorder {
    pub(crate) const fn new() -> Self {
        Self {
            window: RefCell::new(Window::new()),
            bytes: RefCell::new(Vec::new()),
            number: Cell::new(None),
            names: Cell::new((0, 0)),
            marks: RefCell::new(Vec::new()),
            forks: Cell::new(0),
            written: Cell::new(0),
            aside: Cell::new(0),
        }
    }

    /// Forgets everything, for a new session.
    pub(crate) fn clear(&self) {
        self.window.borrow_mut().clear();
        self.bytes.borrow_mut().clear();
        self.marks.borrow_mut().clear();
        self.number.set(None);
        self.forks.set(0);
        self.aside.set(0);
        self.written.set(0);
    }

    /// A new number for a lane or a construct, unique in the process.
    pub(crate) fn new_name(&self) -> u64 {
        let (mut next, mut end) = self.names.get();
        if next == end {
            // Relaxed: nothing but the number passes.
            next = NAMES.fetch_add(NAMES_AT_ONCE, Ordering::Relaxed);
            end = next + NAMES_AT_ONCE;
        }
        self.names.set((next + 1, end));
        next
    }

    /// What has been recorded is obstructed ([`window`]).
    pub(crate) fn obstruct(&self, from: u64) {
        self.window.borrow_mut().obstruct(from);
    }

    /// Leaves a mark for the forks that began in the stretch which is broken off, deeper in the stack than `opener`.
    fn leave_mark(&self, opener: usize) -> Item {
        let mut marks = self.marks.borrow_mut();
        while marks.last().is_some_and(|(address, _)| *address <= opener) {
            marks.pop();
        }
        let mark = self.new_name();
        marks.push((opener, mark));
        Item::Mark { mark }
    }

    /// The mark of the stretch in which the fork at `address` began.
    pub(crate) fn mark_of(&self, address: usize) -> u64 {
        let mut marks = self.marks.borrow_mut();
        while marks.last().is_some_and(|(opener, _)| *opener <= address) {
            marks.pop();
        }
        marks.last().map_or(0, |(_, mark)| *mark)
    }
}

impl Thread {
    /// Is the dag recorded?
    #[inline(always)]
    pub(crate) fn records(&self) -> bool {
        self.settings.get().record_grain.is_some()
    }

    /// Records the strand that has ended; on the path it is taken to be longer by `correction`.
    #[inline(never)]
    pub(crate) fn record_strand(&self, node: u32, ticks: i64, correction: i64) {
        let item = if correction != 0 {
            let figures = Figures {
                work: ticks,
                ..Figures::of_strand(ticks + correction)
            };
            Item::Folded(Folded {
                node,
                at: 0,
                figures,
            })
        } else if ticks != 0 {
            Item::Strand { node, ticks }
        } else {
            return;
        };
        self.record_piece(item);
    }

    fn record_piece(&self, item: Item) {
        self.change_window(|window, grain| window.push_piece(item, grain));
    }

    /// Records the stretch that has ended and led the path to `end`.
    #[inline(never)]
    pub(crate) fn record_stretch(&self, measured: &Measured, node: u32, end: Position) {
        let begin = self.stretch.begin();
        let figures = Figures {
            work: measured.ticks,
            span: end.depth - begin.depth,
            burdened: end.burdened() - begin.burdened(),
            tasks: (measured.strands / 3) as u32,
        };
        let at = 1 + self.stretch.home();
        self.record_piece(Item::Folded(Folded { node, at, figures }));
    }

    /// Records that forks may be open which began in the stretch just recorded. That was opened at the boundary `opener`.
    pub(crate) fn record_broken_stretch(&self, opener: usize) {
        let mark = self.recorder.leave_mark(opener);
        self.record(mark);
    }

    #[inline(never)]
    pub(crate) fn record(&self, item: Item) {
        self.change_window(|window, _| window.push(item));
    }

    /// Records the beginning of a construct, behind the present end of the path of `frame`.
    #[inline(never)]
    pub(crate) fn record_begin(&self, frame: &Frame, item: Item) -> Beginning {
        let position = self.change_window(|window, _| {
            let position = window.position();
            window.push(item);
            position
        });
        Beginning::at(position, frame)
    }

    /// Records the end of a construct at `node` that began at `begin`, after which the path of `frame` goes on; `end` if it
    /// is not folded. All of it has run here.
    #[inline(never)]
    pub(crate) fn record_end(
        &self,
        begin: &Beginning,
        frame: &Frame,
        node: Option<u32>,
        end: Item,
    ) {
        let folded = Folded {
            node: frame.node,
            at: node.map_or(0, |node| node + 1),
            figures: begin.since(frame),
        };
        let burden = self.settings.get().burden;
        self.change_window(|window, grain| {
            let is_told = window.fold(begin.position, folded, grain)
                || (matches!(end, Item::Join { .. })
                    && window.flatten(begin.position, folded, burden, grain));
            if !is_told && end != Item::Nothing {
                window.push(end);
            }
        });
    }

    /// Puts one entry of `figures` in the place of what began at `begin` with a construct of node `at`, after which the path at
    /// `node` goes on, if it is all here and of less work than the grain. Says whether it has.
    pub(crate) fn record_folded(
        &self,
        begin: &Beginning,
        node: u32,
        at: u32,
        figures: Figures,
    ) -> bool {
        let folded = Folded {
            node,
            at: at + 1,
            figures,
        };
        self.change_window(|window, grain| window.fold(begin.position, folded, grain))
    }

    /// Takes the lane that began at position `begin` out, if it is all here and of less `work` than the grain. Says whether
    /// it has.
    pub(crate) fn take_lane(&self, begin: u64, work: i64) -> bool {
        self.change_window(|window, grain| window.take_lane(begin, work, grain))
    }

    /// Records the end of a fork at `node` that began at `begin`, as [`Thread::record_end`]; `left` and `right` are its branches
    /// that ran as lanes of their own, or 0.
    pub(crate) fn record_join(
        &self,
        begin: &Beginning,
        frame: &Frame,
        node: u32,
        (left, right): (u64, u64),
    ) {
        let forks = &self.recorder.forks;
        forks.set(forks.get().saturating_sub(1));
        let end = Item::Join { left, right };
        if (left, right) == (0, 0) {
            self.record_end(begin, frame, Some(node), end);
        } else {
            self.record_end_elsewhere(end);
        }
    }

    /// Records the end of a fork that began in a stretch which was broken off, all of which has run here. `left` are the
    /// paths of its left branch.
    pub(crate) fn record_late_end(&self, frame: &Frame, node: u32, left: Figures) {
        let whole = Folded {
            node: frame.node,
            at: node + 1,
            figures: left,
        };
        let burden = self.settings.get().burden;
        self.change_window(|window, grain| {
            if !window.flatten_late(whole, left, burden, grain) {
                window.push(Item::Join { left: 0, right: 0 });
            }
        });
    }

    /// The same of a construct of which something has run elsewhere.
    pub(crate) fn record_end_elsewhere(&self, end: Item) {
        self.change_window(|window, _| {
            window.push(end);
            window.obstruct(0);
        });
    }

    /// Records the end of a lane that a construct awaits which began at position `from` here; 0 if it began elsewhere.
    pub(crate) fn record_lane_end(&self, from: u64) {
        self.change_window(|window, _| {
            window.push(Item::LaneEnd);
            window.obstruct(from);
        });
    }

    /// Records the end of a task, as [`Thread::record_lane_end`]; its lane began at position `begin`.
    #[inline(never)]
    pub(crate) fn record_task_end(&self, begin: u64, from: u64, bulk: Bulk) {
        self.change_window(|window, grain| window.end_task(begin, from, bulk, grain));
    }

    /// Records what ties a task, which began at position `from` of this record, or elsewhere, to others.
    #[inline(never)]
    pub(crate) fn record_tie(&self, item: Item, from: u64) {
        self.change_window(|window, _| {
            window.push(item);
            window.obstruct(from);
        });
    }

    /// Records the end of a task whose lane began at position `begin` and is all here, if it can be folded, as
    /// [`Window::fold_task`]. Says whether it was.
    #[inline(never)]
    pub(crate) fn record_folded_task(&self, begin: u64, from: u64, parcel: Parcel) -> bool {
        self.change_window(|window, grain| window.fold_task(begin, from, parcel, grain))
    }

    /// Position of the next entry, with which something begins.
    pub(crate) fn record_position(&self) -> u64 {
        self.recorder.window.borrow_mut().begin()
    }

    /// Changes the window by `change`, which is also told the grain, and writes of it what is due.
    #[inline(always)]
    fn change_window<R>(&self, change: impl FnOnce(&mut Window, i64) -> R) -> R {
        let settings = self.settings.get();
        let mut window = self.recorder.window.borrow_mut();
        let result = change(&mut window, settings.record_grain.unwrap_or(0));
        let is_full = window.is_full(self.recorder.forks.get());
        drop(window);
        let waits = self.last.get() - self.recorder.written.get();
        if is_full || waits > settings.record_every {
            self.write_record(is_full);
        }
        result
    }

    /// Empties the older half of the window, or writes all of it.
    #[cold]
    #[inline(never)]
    fn write_record(&self, half: bool) {
        let aside = self.recorder.aside.get();
        if aside != 0 {
            if half {
                self.recorder.window.borrow_mut().cut(aside);
            }
            return;
        }
        if !half && self.recorder.written.get() == 0 {
            self.recorder.written.set(self.last.get());
            return;
        }
        self.encode_all_but(if half { Window::KEPT } else { 0 });
        if !half || self.recorder.bytes.borrow().len() >= BYTES {
            match self.write_encoded() {
                Written::Well => {}
                Written::Large => session::record_coarser(),
                Written::Not => session::record_no_more(),
            }
            self.recorder.written.set(self.last.get());
        }
        self.begin_strand_here();
    }

    /// Takes all but the latest `kept` entries out of the window.
    fn encode_all_but(&self, kept: usize) {
        let grain = self.settings.get().record_grain.unwrap_or(0);
        let mut bytes = self.recorder.bytes.borrow_mut();
        if bytes.capacity() == 0 {
            bytes.reserve_exact(2 * BYTES);
        }
        let mut before = Item::Nothing;
        self.recorder.window.borrow_mut().take(kept, |item| {
            if *item == Item::Nothing {
                return;
            }
            if grain == 0 || !before.merge(item, grain) {
                encoding::encode(&mut bytes, &before);
                before = *item;
            }
        });
        encoding::encode(&mut bytes, &before);
    }

    /// Writes what has been encoded.
    fn write_encoded(&self) -> Written {
        let mut bytes = self.recorder.bytes.borrow_mut();
        if bytes.is_empty() {
            return Written::Well;
        }
        let written = stream::write_events(self.record_number(), &bytes, &self.settings.get());
        bytes.clear();
        written
    }

    fn record_number(&self) -> u32 {
        self.recorder.number.get().unwrap_or_else(|| {
            let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
            self.recorder.number.set(Some(number));
            number
        })
    }

    /// Records the beginning of the root's lane, which is this thread's.
    pub(crate) fn record_root(&self, node: u32) {
        self.record_number();
        self.record(Item::Root { node });
    }

    /// What is recorded from here to the end of `measure` is not kept.
    pub(crate) fn begin_unrecorded(&self) {
        self.recorder.aside.set(self.record_position());
    }

    pub(crate) fn end_unrecorded(&self) {
        let begin = self.recorder.aside.take();
        self.recorder.window.borrow_mut().cut(begin);
    }
}

/// Begins the record of a session that starts at `start`. False if there can be none.
pub(crate) fn begin(
    recording: &Recording,
    start: crate::clock::Mark,
    metric: &crate::Metric,
) -> bool {
    NUMBERS.store(0, Ordering::Relaxed);
    stream::begin(&recording.path, recording.most_bytes, start, metric)
}

/// Writes what is left, and ends the record. The world is stopped. Gives back how many bytes it has; 0 if it stays without
/// an end, because a thread does not come out of its bookkeeping.
pub(crate) fn end(settings: &Settings) -> u64 {
    let deadline = Instant::now() + PATIENCE;
    let mut are_idle = true;
    thread::for_each(|thread, _| {
        while thread.busy.load(Ordering::Acquire) && are_idle {
            are_idle = Instant::now() < deadline && !ptr::eq(thread, thread::current());
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    if !are_idle {
        return 0;
    }
    thread::for_each(|thread, _| {
        thread.encode_all_but(0);
        thread.write_encoded();
    });
    stream::end(settings)
}

/// How long the end of the record waits for threads that write theirs: longer than the stop of the world, for a disk may be
/// slow.
const PATIENCE: Duration = Duration::from_secs(10);
