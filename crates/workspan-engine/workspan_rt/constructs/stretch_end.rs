//! The end of a stretch: what it turned out to be goes to the frame, the counts and the record.

use crate::clock;
use crate::constructs::fork::Fork;
use crate::path::frame::Frame;
use crate::path::stretch::{Measured, Passed};
use crate::system::presence::Absence;
use crate::thread::{current, Thread};
use crate::tree::kinds::{End, Kind, KINDS};
use crate::tree::table::Cell;
use std::ptr;
use std::sync::atomic::Ordering;

impl Thread {
    /// Ends the open timed stretch. `cost` is as in [`Thread::end_strand`].
    #[cold]
    #[inline(never)]
    fn end_timed_stretch(&self, cost: i64) -> i64 {
        let now = clock::now_of(self.settings.get().clock);
        let mut ticks = 0;
        if self.running.load(Ordering::Relaxed) {
            ticks = now - self.last.get() - cost;
            if self.presence.is_due(ticks, now) {
                ticks = self.present_part(now, ticks);
            }
        }
        self.last.set(now);
        self.leave_boundary();
        self.running.store(false, Ordering::Relaxed);
        let stretch = &self.stretch;
        // Each is read once: if this is the writer of the profile, the thread may count on
        // meanwhile.
        let (mut position, mut own) = (stretch.position(), stretch.own());
        let (forks, work, lost) = (stretch.begun(), stretch.work.get() + ticks, stretch.lost());
        position.depth += ticks;
        own.branch += ticks;
        // SAFETY: the present frame is alive, and not touched in a stretch but by who ends it: the
        // thread that runs its strands, or the writer of the profile in its place, while the world
        // is stopped.
        let frame = unsafe { &mut *self.present() };
        frame.set_position(position);
        frame.set_own(own);
        frame.executed.add_forks(forks);
        frame.executed.work += work;
        let cell = self.cell(frame.node);
        cell.count.add(forks);
        cell.local.add(work);
        cell.beside.add(lost);
        stretch.end_timed();
        self.previous.set(ticks);
        // All samples are of the last strand, whose boundary breaks the stretch.
        if self.samples.any() {
            self.place_samples(frame, 1.0);
        }
        ticks
    }

    /// What strands of each kind are taken to last in a stretch at `node`; `None` if that is not
    /// known.
    pub(crate) fn taken_strands(&self, node: u32) -> Option<[i64; KINDS]> {
        self.cell(node).kinds.taken(self.reading_cost())
    }

    /// Ends the open stretch together with its branch, at this moment.
    pub(crate) fn close_stretch(&self) {
        let now = clock::now_of(self.settings.get().clock);
        let last = Some(self.kind(End::Branch));
        // SAFETY: the present frame is alive, and only this thread, which runs its strands, writes
        // it.
        let frame = unsafe { &mut *self.present() };
        let boundary_cost = self.settings.get().boundary_cost;
        let measured = self.end_stretch(now, boundary_cost, last, frame);
        self.stretch.closed.add(1);
        let own = self.own_long_strand(&measured);
        frame.lengthen(own);
        // An interruption shows nothing of the strands.
        if own == measured.long_strand() {
            self.learn_stretch(&measured);
        }
        self.share_path(frame);
        self.share_samples(frame, &measured);
        if self.records() {
            self.record_stretch(&measured, frame.node, frame.position());
        }
        // This took longer than the usual boundary, about half of whose cost comes after the
        // reading of the clock.
        let now = clock::now_of(self.settings.get().clock);
        self.last.set(now - boundary_cost / 2);
    }

    /// The long strand of the stretch that has ended, if there was one and it is the program's own.
    fn own_long_strand(&self, measured: &Measured) -> i64 {
        let grain = self.settings.get().grain;
        let Cell { kinds, local, .. } = self.cell(self.stretch.home());
        if kinds.is_own_of_stretch(measured.excess(), grain, local.get()) {
            measured.long_strand()
        } else {
            0
        }
    }

    /// Learns from a stretch that ended with its branch how long strands are.
    fn learn_stretch(&self, measured: &Measured) {
        let reading = self.reading_cost();
        for share in self.stretch.shares() {
            let kinds = &self.cell(share.node).kinds;
            let whole = measured.whole(&share, reading);
            kinds.learn_stretch(&whole, share.forks, self.settings.get().measured_forks);
        }
    }

    /// Ends the open stretch at a boundary that is like the `end` of a fork's strand, before its
    /// branch has ended. `cost` is what the engine itself spent since the last boundary.
    #[cold]
    #[inline(never)]
    pub(crate) fn break_stretch(&self, cost: i64, end: End) -> i64 {
        if self.stretch.is_timed() {
            return self.end_timed_stretch(cost);
        }
        let now = clock::now_of(self.settings.get().clock);
        // SAFETY: the present frame is alive, and not touched in a stretch but by who ends it: the
        // thread that runs its strands, or the writer of the profile in its place, while the world
        // is stopped.
        let frame = unsafe { &mut *self.present() };
        let is_own = ptr::eq(self, current());
        // SAFETY: the stretch that is to be broken is open, and `at` is where this thread is; it is
        // only asked if this is the calling one (`is_own`).
        let waiting = unsafe { is_own.then(|| Fork::waiting_at(self.at())).flatten() };
        let opener = self.stretch.opener();
        self.stretch.broken.add(1);
        match waiting {
            // The left branch has ended in the stretch, and the thread has been waiting since.
            Some(mut waiting) => {
                let until = waiting.since.clamp(self.last.get(), now);
                let measured = self.end_stretch(until, 0, None, frame);
                *waiting.left = self.stretch.within(measured.ticks, *waiting.left);
                waiting.left.depth += self.own_long_strand(&measured);
                if self.records() {
                    self.record_stretch(&measured, frame.node, *waiting.left);
                }
                if self.samples.any() {
                    // SAFETY: `frame` is a reference, so the frame is alive.
                    let mut left = unsafe { Frame::as_it_was(frame, *waiting.left) };
                    left.set_own(frame.own());
                    self.share_samples(&mut left, &measured);
                    waiting.put_aside(left);
                }
            }
            None => {
                let measured = self.end_stretch(now, cost, Some(self.kind(end)), frame);
                // At the end of the program, this may be another thread that is waiting: that is no
                // strand.
                frame.lengthen(if is_own {
                    self.own_long_strand(&measured)
                } else {
                    0
                });
                self.share_path(frame);
                self.share_samples(frame, &measured);
                if self.records() {
                    self.record_stretch(&measured, frame.node, frame.position());
                }
                if is_own {
                    self.stand_at(frame, self.stretch.node());
                }
            }
        }
        if self.records() {
            self.record_broken_stretch(opener);
        }
        self.stretch.expect_nothing();
        i64::MAX
    }

    /// Ends the open stretch at `now`, with the end of its `last` strand if one is running, and
    /// adds it to the work. Its path goes on in `frame`.
    fn end_stretch(&self, now: i64, cost: i64, last: Option<Kind>, frame: &mut Frame) -> Measured {
        let settings = self.settings.get();
        let Passed { position, unread } = self.stretch.count_up(last);
        let unread_cost =
            unread * settings.unread_cost + self.stretch.crossings() * settings.crossing_cost;
        let mut ticks = (now - self.last.get() - cost - unread_cost).max(0);
        self.cell(self.stretch.home()).kinds.spend(unread_cost);
        self.last.set(now);
        self.leave_boundary();
        self.running.store(false, Ordering::Relaxed);
        let cell = self.cell(self.stretch.node());
        if self.presence.is_due(ticks - self.stretch.taken(), now) {
            // All of a stretch is uncertain anyway.
            let Absence {
                queued, blocked, ..
            } = self.absence(now, ticks, self.stretch.taken(), false);
            self.off_processor.add(queued);
            cell.blocked.add(blocked);
            ticks -= queued;
        }
        frame.set_position(self.stretch.within(ticks, position));
        let mut rest = ticks;
        for share in self.stretch.shares() {
            let cell = self.cell(share.node);
            let ticks = share.of_ticks(ticks);
            cell.count.add(share.forks);
            cell.local.add(ticks);
            cell.beside.add(share.beside(ticks));
            frame.executed.add_forks(share.forks);
            rest -= ticks;
        }
        frame.executed.work += ticks;
        self.cell(self.stretch.node()).local.add(rest);
        let measured = self.stretch.end(ticks, unread, settings.grain);
        frame.open.add(measured.open());
        measured
    }

    /// Divides what the stretch that has ended added to the path of `frame` among the nodes that it
    /// went through, by what their strands were taken to last, and by their instances.
    fn share_path(&self, frame: &mut Frame) {
        let begin = self.stretch.begin();
        let end = frame.position();
        for share in self.stretch.shares() {
            let part = share.of_path(end.count - begin.count, end.depth - begin.depth);
            if share.node != frame.node {
                frame.hand_over(share.node, part);
            } else {
                frame.add_beside(share.node, part.beside);
            }
        }
    }

    /// Places the samples that fell into the stretch that has ended, of which the path of `frame`
    /// now has its share.
    fn share_samples(&self, frame: &mut Frame, measured: &Measured) {
        if self.samples.any() {
            let path = frame.depth - self.stretch.begin().depth;
            self.place_samples(frame, measured.share_of(path));
        }
    }
}
