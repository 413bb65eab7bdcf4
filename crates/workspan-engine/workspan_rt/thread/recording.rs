//! What a thread records of the task dag ([`record`]).

use crate::path::beginning::Beginning;
use crate::path::frame::{Frame, Position};
use crate::path::stretch::Measured;
use crate::record::{self, encode, Bulk, Figures, Folded, Item, Parcel, Window, Written};
use crate::state::recording::Recording;
use crate::state::settings::{self, Settings};
use crate::system::message;
use crate::thread::{self, Thread};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

static NUMBERS: AtomicU32 = AtomicU32::new(0);

/// How many bytes are written at once, at least, when a window is full.
const BYTES: usize = 1 << 13;

impl Beginning {
    /// Records a fork of `node` at the current end of the path, and returns where. Its task is
    /// counted already.
    pub(crate) fn before_fork(thread: &Thread, frame: &Frame, node: u32) -> Self {
        let forks = &thread.recorder.forks;
        forks.set(forks.get() + 1);
        let mut begin = thread.record_begin(frame, Item::Fork { node });
        begin.spawns -= 1;
        begin
    }
}

impl Thread {
    #[inline(always)]
    pub(crate) fn records(&self) -> bool {
        self.settings.get().record_grain.is_some()
    }

    /// Records the strand that has ended. On the path it counts as `correction` ticks longer.
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

    /// Records the stretch that has ended and took the path to `end`.
    #[inline(never)]
    pub(crate) fn record_stretch(&self, measured: &Measured, node: u32, end: Position) {
        let begin = self.stretch.begin();
        let figures = Figures {
            work: measured.ticks,
            span: end.depth - begin.depth,
            burdened: end.burdened() - begin.burdened(),
            tasks: measured.forks as u32,
        };
        let at = 1 + self.stretch.home();
        self.record_piece(Item::Folded(Folded { node, at, figures }));
    }

    /// Records that forks which began in the stretch just recorded may still be open. The stretch
    /// began at the boundary `opener`.
    pub(crate) fn record_broken_stretch(&self, opener: usize) {
        let mark = self.recorder.leave_mark(opener);
        self.record(mark);
    }

    #[inline(never)]
    pub(crate) fn record(&self, item: Item) {
        self.change_window(|window, _| window.push(item));
    }

    /// Records the beginning of a construct at the current end of the path of `frame`.
    #[inline(never)]
    pub(crate) fn record_begin(&self, frame: &Frame, item: Item) -> Beginning {
        let position = self.change_window(|window, _| {
            let position = window.position();
            window.push(item);
            position
        });
        Beginning::at(position, frame)
    }

    /// Records the end of a construct at `node` that began at `begin` and ran entirely on this
    /// thread; the path of `frame` continues after it. `end` is recorded if the construct is not
    /// folded.
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

    /// Replaces what began at `begin` with a construct of node `at` by one entry of `figures`, if
    /// it is all in the window and has less work than the grain. The path continues after it at
    /// `node`. Returns whether it was replaced.
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

    /// Removes the lane that began at position `begin`, if it is all in the window and has less
    /// `work` than the grain. Returns whether it did.
    pub(crate) fn take_lane(&self, begin: u64, work: i64) -> bool {
        self.change_window(|window, grain| window.take_lane(begin, work, grain))
    }

    /// Records the end of a fork at `node` that began at `begin`, like [`Thread::record_end`].
    /// `left` and `right` are the lanes of those branches that ran as lanes of their own, else 0.
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

    /// Records the end of a fork that began in a stretch which was broken off, and that ran
    /// entirely on this thread. `left` holds the paths of its left branch.
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

    /// Records the end of a construct part of which ran elsewhere.
    pub(crate) fn record_end_elsewhere(&self, end: Item) {
        self.change_window(|window, _| {
            window.push(end);
            window.obstruct(0);
        });
    }

    /// Records the end of a lane. What awaits it began at position `from` on this thread, or
    /// elsewhere if that is 0.
    pub(crate) fn record_lane_end(&self, from: u64) {
        self.change_window(|window, _| {
            window.push(Item::LaneEnd);
            window.obstruct(from);
        });
    }

    /// Records the end of a task whose lane began at position `begin`; `from` as in
    /// [`Thread::record_lane_end`].
    #[inline(never)]
    pub(crate) fn record_task_end(&self, begin: u64, from: u64, bulk: Bulk) {
        self.change_window(|window, grain| window.end_task(begin, from, bulk, grain));
    }

    /// Records an entry that ties a lane to others. What awaits the lane began at position `from`
    /// on this thread, or elsewhere if that is 0.
    #[inline(never)]
    pub(crate) fn record_tie(&self, item: Item, from: u64) {
        self.change_window(|window, _| {
            window.push(item);
            window.obstruct(from);
        });
    }

    /// Records the end of a task whose lane began at position `begin` and is all here, if it can be
    /// folded ([`Window::fold_task`]). Returns whether it was.
    #[inline(never)]
    pub(crate) fn record_folded_task(&self, begin: u64, from: u64, parcel: Parcel) -> bool {
        self.change_window(|window, grain| window.fold_task(begin, from, parcel, grain))
    }

    /// Position of the next entry, with which something begins.
    pub(crate) fn record_position(&self) -> u64 {
        self.recorder.window.borrow_mut().begin()
    }

    /// Applies `change` to the window, passing it the grain as well, then writes what is due.
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

    /// Encodes the older half of the window if `half`, else writes all of it.
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
                Written::Large => settings::record_coarser(),
                Written::Not => settings::record_no_more(),
            }
            self.recorder.written.set(self.last.get());
        }
        self.begin_strand_here();
    }

    /// Encodes all but the latest `kept` entries and removes them from the window.
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
                encode(&mut bytes, &before);
                before = *item;
            }
        });
        encode(&mut bytes, &before);
    }

    fn write_encoded(&self) -> Written {
        let mut bytes = self.recorder.bytes.borrow_mut();
        if bytes.is_empty() {
            return Written::Well;
        }
        let written = record::write_events(self.record_number(), &bytes, &self.settings.get());
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

    /// Begins the lane of the root, on this thread.
    pub(crate) fn record_root(&self, node: u32) {
        self.record_number();
        self.record(Item::Root { node });
    }

    /// From here to [`Thread::end_unrecorded`], nothing recorded is kept.
    pub(crate) fn begin_unrecorded(&self) {
        self.recorder.aside.set(self.record_position());
    }

    pub(crate) fn end_unrecorded(&self) {
        let begin = self.recorder.aside.take();
        self.recorder.window.borrow_mut().cut(begin);
    }
}

/// Begins the record of a session that started at `start`. Returns false if it cannot be written.
pub(crate) fn begin(
    recording: &Recording,
    start: crate::clock::Mark,
    metric: &crate::Metric,
) -> bool {
    NUMBERS.store(0, Ordering::Relaxed);
    record::begin_stream(&recording.path, recording.most_bytes, start, metric)
}

/// Writes what is left, and ends the record. The world is stopped. Returns the record's length in
/// bytes, or 0 if it is left without an end because a thread does not leave its bookkeeping; then
/// that is said.
pub(crate) fn end(settings: &Settings) -> u64 {
    let deadline = Instant::now() + PATIENCE;
    let mut busy = None;
    thread::for_each(|thread, in_use| {
        while thread.busy.load(Ordering::Acquire) && busy.is_none() {
            let is_own = ptr::eq(thread, thread::current());
            if is_own || Instant::now() >= deadline {
                busy = Some((is_own, in_use));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    if let Some((is_own, in_use)) = busy {
        let which = match (is_own, in_use) {
            (true, _) => "the thread that ends it is",
            (false, true) => "another thread is still",
            (false, false) => "a thread that has ended was",
        };
        message::say(format_args!(
            "the task dag is left without an end: {which} in the middle of its bookkeeping"
        ));
        return 0;
    }
    thread::for_each(|thread, _| {
        thread.encode_all_but(0);
        thread.write_encoded();
    });
    record::end_stream(settings)
}

/// How long [`end`] waits for threads that are writing their records: longer than stopping the
/// world may take, because a disk may be slow.
const PATIENCE: Duration = Duration::from_secs(10);
