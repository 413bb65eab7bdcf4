//! Strands that may contain time in which their thread was off the processor, and what it waited
//! for then.

use crate::constructs::user_thread;
use crate::path::frame::Frame;
use crate::system::presence::Absence;
use crate::thread::{current, Thread};
use crate::tree::kinds::Kind;
use crate::{clock, waits};
use std::ptr;

impl Thread {
    /// Ends a strand, of this `kind` if it ends at a fork's boundary, that may contain time in which the
    /// thread was off the processor. Returns the rest.
    #[cold]
    #[inline(never)]
    pub(crate) fn end_suspect_strand(
        &self,
        now: i64,
        ticks: i64,
        frame: &mut Frame,
        kind: Option<Kind>,
    ) -> i64 {
        let Absence {
            queued,
            blocked,
            uncertain,
        } = {
            let previous = Some(self.previous.get()).filter(|previous| *previous != 0);
            let usual = kind.and_then(|kind| self.usual_strand(frame.node, kind));
            // The first strand has no other to be compared with.
            self.absence(now, ticks, usual.or(previous).unwrap_or(ticks), true)
        };
        self.off_processor.add(queued);
        // A task that waits holds its worker, so its wait counts. A thread of the program may wait
        // for other threads; the root is taken to do so if one of the program woke it, or one that
        // it started has ended meanwhile or is joined next: a thread may have reported that it is
        // done before it ends.
        let is_here = ptr::eq(self, current());
        let waker = self.waker_if_root();
        if let Some(waker) = waker.filter(|_| blocked > 0 && is_here) {
            user_thread::await_end(waker);
            self.last.set(clock::now());
        }
        let is_joined = self.is_joining.get() || (self.is_root() && user_thread::any_ended(self));
        let for_others = self.is_user_thread.get() || waker.is_some() || is_joined;
        let cell = self.cell(frame.node);
        if for_others && !is_joined {
            self.waited.add(blocked);
        }
        let ticks = if for_others {
            ticks - queued - blocked
        } else {
            cell.blocked.add(blocked);
            ticks - queued
        };
        cell.local.add(ticks);
        frame.add_strand(ticks);
        let kind = kind.filter(|_| blocked == 0);
        let correction = kind.map_or(0, |kind| self.correction(frame.node, kind, ticks));
        frame.lengthen(correction);
        // Both may be for the same interruption.
        frame.open.add(uncertain.max(correction.abs()));
        if self.records() {
            self.record_strand(frame.node, ticks, correction);
        }
        self.previous.set(ticks - uncertain);
        if self.samples.any() {
            self.place_samples(frame, 1.0);
        }
        if for_others && blocked > 0 && is_here {
            user_thread::await_ended(frame, self);
        }
        ticks
    }

    /// The thread of the program that ended the last wait in the root's strand, if this is the
    /// root.
    fn waker_if_root(&self) -> Option<&'static Thread> {
        if self.is_root() {
            waits::take_waker_of_root()
        } else {
            None
        }
    }
}
