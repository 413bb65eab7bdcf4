//! Strands: where they end, and where the next begins.

use super::{current, guarded, Thread, BOUNDARY};
use crate::clock::{self, emulated, Clock};
use crate::state::settings::Settings;
use crate::system::presence::Absence;
use crate::tree::kinds::{End, Kind, Rules};
use std::ptr;
use std::sync::atomic::Ordering;

impl Thread {
    /// Ends the running strand at this moment, which is also the boundary where the next one
    /// starts. `cost` is what the engine itself spent in the strand. Returns the strand's length,
    /// `i64::MAX` if it was not measured.
    #[inline(always)]
    pub(crate) fn end_strand(&self, cost: i64) -> i64 {
        self.end_strand_at(cost, None)
    }

    /// As [`Thread::end_strand`]. `end`: at which boundary, if the strand is of a branch.
    #[inline(always)]
    fn end_strand_at(&self, cost: i64, end: Option<End>) -> i64 {
        if self.stretch.is_open() {
            return self.break_stretch(cost, end.unwrap_or(End::Fork));
        }
        let kind = end.map(|end| self.kind(end));
        let frame = self.frame();
        let settings = self.settings.get();
        let now = clock::now_of(settings.clock);
        let ticks = now - self.last.get() - cost;
        self.last.set(now);
        self.leave_boundary();
        self.running.store(false, Ordering::Relaxed);
        // SAFETY: the present frame is alive, and only the thread that runs its strands writes it:
        // this one, or the writer of the profile in its place, while the world is stopped.
        let frame = unsafe { &mut *frame };
        if self.presence.is_due(ticks, now) {
            return self.end_suspect_strand(now, ticks, frame, kind);
        }
        self.previous.set(ticks);
        frame.add_strand(ticks);
        self.cell(frame.node).local.add(ticks);
        let correction = kind.map_or(0, |kind| self.learn_strand(frame.node, kind, ticks));
        if correction != 0 {
            frame.lengthen(correction);
            frame.open.add(correction.abs());
        }
        if self.records() {
            self.record_strand(frame.node, ticks, correction);
        }
        if self.samples.any() {
            self.place_samples(frame, 1.0);
        }
        ticks
    }

    /// Ends the running strand at any boundary but a spawn; as [`Thread::end_strand`].
    #[inline(always)]
    pub(crate) fn end_ordinary_strand(&self) -> i64 {
        self.end_strand(self.settings.get().ordinary_cost)
    }

    /// Ends the running strand of a branch or task; as [`Thread::end_strand`].
    #[inline(always)]
    pub(crate) fn end_strand_of_branch(&self, end: End) -> i64 {
        self.end_strand_at(self.settings.get().ordinary_cost, Some(end))
    }

    /// The kind of the strand that ends now.
    #[inline(always)]
    pub(crate) fn kind(&self, end: End) -> Kind {
        Kind::of(end, self.at() & BOUNDARY != 0)
    }

    /// What strands of `kind` usually last at `node`, if that is known.
    pub(crate) fn usual_strand(&self, node: u32, kind: Kind) -> Option<i64> {
        self.cell(node).kinds.usual(kind, self.reading_cost())
    }

    /// What a reading of the clock costs, at least 1 tick.
    #[inline(always)]
    pub(crate) fn reading_cost(&self) -> i64 {
        self.settings.get().boundary_cost.max(1)
    }

    /// As [`Thread::correction`], and learns from the strand in a branch that is measured.
    #[inline(always)]
    fn learn_strand(&self, node: u32, kind: Kind, ticks: i64) -> i64 {
        if self.stretch.is_measured() {
            let kinds = &self.cell(node).kinds;
            kinds.learn(kind, ticks, self.reading_cost());
        }
        self.correction(node, kind, ticks)
    }

    /// Counts a strand that was measured as `ticks`. Returns by how much longer it is taken to be on
    /// the path.
    #[inline(always)]
    pub(crate) fn correction(&self, node: u32, kind: Kind, ticks: i64) -> i64 {
        let Settings { unsure, grain, .. } = self.settings.get();
        if unsure == 0 {
            return 0;
        }
        let rules = Rules {
            reading: self.reading_cost(),
            unsure,
            grain,
        };
        let cell = self.cell(node);
        let on_path = cell.kinds.on_path(kind, ticks, &rules, cell.local.get());
        cell.kinds.learn_everywhere(kind, ticks, rules.reading);
        on_path - ticks
    }

    /// Ends a strand at a boundary of a fork in a timed stretch, and starts the next one there.
    /// Returns its length; `None` if the stretch must be broken off here instead.
    #[inline(always)]
    pub(crate) fn end_timed_strand(&self) -> Option<i64> {
        if self.samples.any() {
            return None;
        }
        let settings = self.settings.get();
        let now = clock::now_of(settings.clock);
        let mut ticks = now - self.last.get() - settings.boundary_cost;
        self.last.set(now);
        if self.presence.is_due(ticks, now) {
            // Unlike everything else here, the account of the thread's presence is not for two
            // threads to touch: the writer of the profile may be about to.
            let present = guarded(self, |thread| thread.present_part(now, ticks));
            ticks = present.unwrap_or(ticks);
        }
        self.stretch.add_own(ticks);
        Some(ticks)
    }

    /// The part of a strand of `ticks` in which its thread was on the processor or waiting
    /// voluntarily. For threads of the runtime, whose waits count as work.
    #[cold]
    #[inline(never)]
    pub(crate) fn present_part(&self, now: i64, ticks: i64) -> i64 {
        // SAFETY: the present frame is alive, and `node` never changes.
        let node = unsafe { (*self.present()).node };
        let Absence {
            queued, blocked, ..
        } = self.absence(now, ticks, self.previous.get(), false);
        self.off_processor.add(queued);
        self.cell(node).blocked.add(blocked);
        ticks - queued
    }

    /// As [`Thread::end_strand`], if a strand is running on this thread at all. Returns whether one
    /// was.
    pub(crate) fn end_strand_if_any(&self, cost: i64) -> bool {
        let any = self.running.load(Ordering::Relaxed);
        if any {
            self.end_strand(cost);
        }
        any
    }

    /// Ends the running strand, or the pause that the thread makes in it, at this moment.
    #[inline]
    pub(crate) fn end_strand_or_pause(&self) {
        if !self.end_strand_if_any(0) {
            self.begin_strand_here();
        }
    }

    /// For how much of a strand of `ticks` up to `now` the thread was off the processor, where
    /// strands usually take `usual`. The time it takes to find out is not part of the next strand.
    pub(crate) fn absence(&self, now: i64, ticks: i64, usual: i64, may_doubt: bool) -> Absence {
        if !ptr::eq(self, current()) {
            return self.presence.absence_seen_by_another(now, ticks);
        }
        let absence = self
            .presence
            .absence(now, ticks, usual, self.samples.any(), may_doubt);
        self.last.set(clock::now());
        absence
    }

    /// The thread begins to wait, as bookkeeping is paused. Returns what [`Thread::end_pause`]
    /// needs.
    #[cold]
    pub(crate) fn begin_pause(&self) -> i64 {
        clock::now()
    }

    /// The pause that began at `since` is over. It was not part of the running strand.
    #[cold]
    pub(crate) fn end_pause(&self, since: i64) {
        self.last.add(clock::now() - since);
        self.presence.forget_wait();
    }

    /// The thread begins its bookkeeping, which the emulated clock keeps apart.
    #[inline]
    pub(crate) fn leave_program(&self) {
        if clock::chosen() == Clock::Emulated {
            emulated::leave_program();
        }
    }

    /// The thread returns from its bookkeeping to the program.
    #[inline]
    pub(crate) fn enter_program(&self) {
        if clock::chosen() == Clock::Emulated {
            emulated::enter_program();
        }
    }

    /// Moves the last boundary to this moment.
    #[inline]
    fn resume_after_wait(&self) {
        if self.stretch.is_open() {
            self.break_stretch(0, End::Fork);
        }
        self.stretch.expect_nothing();
        self.refresh();
        let now = clock::now();
        let read = self.presence.read_after_wait(now - self.last.get());
        self.last.set(if read { clock::now() } else { now });
    }

    /// Starts the next strand: at the last boundary if that was `at`, else now.
    #[inline(always)]
    pub(crate) fn start_strand(&self, at: usize) {
        if self.at() != at {
            self.resume_after_wait();
        }
        self.running.store(true, Ordering::Relaxed);
    }

    /// Starts the next strand now, after a wait or on a thread that did something else before.
    #[inline]
    pub(crate) fn start_strand_after_wait(&self) {
        self.resume_after_wait();
        self.running.store(true, Ordering::Relaxed);
    }

    /// Makes the present strand begin at this moment: what came before was the engine's work.
    pub(crate) fn begin_strand_here(&self) {
        self.last.set(clock::now());
    }

    /// The node of the running strand of a thread that is not busy; `None` if none runs.
    pub(crate) fn node_of_strand(&self) -> Option<u32> {
        if !self.is_running() {
            return None;
        }
        if self.stretch.is_open() {
            return Some(self.stretch.node());
        }
        let frame = self.present();
        // SAFETY: the present frame of a thread that runs a strand and is not in its bookkeeping is
        // alive; the field never changes.
        (!frame.is_null()).then(|| unsafe { ptr::addr_of!((*frame).node).read() })
    }

    /// Whether no strand runs, but the thread [waits](Self::calling) in its present frame.
    pub(crate) fn is_calling(&self) -> bool {
        let frame = self.present();
        !self.is_running() && !frame.is_null() && frame == self.calling.get()
    }

    /// The node at which a thread that is not busy waits: in its running strand, or
    /// [for a call](Self::is_calling); `None` if it does neither.
    pub(crate) fn node_of_wait(&self) -> Option<u32> {
        if !self.is_calling() {
            return self.node_of_strand();
        }
        // SAFETY: the frame waits for the call, so it is alive; the field never changes.
        Some(unsafe { ptr::addr_of!((*self.present()).node).read() })
    }

    /// Whether the thread runs a strand and is in no [noted wait](crate::waits), or is in the
    /// engine's bookkeeping. One that waits in another call of the kernel counts as working. Any
    /// thread may ask.
    pub(super) fn is_working(&self) -> bool {
        let waits = self.waits.load(Ordering::Relaxed);
        self.busy.load(Ordering::Relaxed) || self.is_running() && !waits
    }

    /// Whether a strand is running, as opposed to the thread waiting in a construct.
    #[inline(always)]
    pub(crate) fn is_running(&self) -> bool {
        self.running.load(Ordering::Relaxed)
    }

    /// Starts the next strand at the boundary that has just ended one.
    #[inline]
    pub(crate) fn continue_strand(&self) {
        self.running.store(true, Ordering::Relaxed);
    }
}
