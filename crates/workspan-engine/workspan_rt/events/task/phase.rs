//! What a part of an instance does at the end of a phase.

use super::inner::Inner;
use crate::events::instance::{lock, Instance};
use crate::events::point::Point;
use crate::path::executed::Executed;
use crate::path::frame::{Frame, Own};
use crate::thread::Thread;
use std::ptr;
use std::sync::atomic::Ordering;

impl Instance {
    /// Removes from the record what the part `inner` did, which has ended its phase with `path`.
    /// False if the record has to keep it.
    pub(in crate::events) fn take_part(
        &self,
        thread: &Thread,
        inner: &Inner,
        path: &Frame,
    ) -> bool {
        if !self.awaits_tasks || !thread.records() {
            return false;
        }
        let taken = inner.recorded.take_part(thread, path);
        let phase = inner.phase.get();
        // After a barrier no part needs to be stolen.
        let part = taken.map(|(figures, is_stealable)| (figures, is_stealable && phase == 0));
        lock(&self.phase(phase).parts).add(part);
        taken.is_some()
    }

    /// The member `inner`, whose path stands in `standing`, reaches a barrier.
    ///
    /// # Safety
    /// The calling thread, whose data `thread` is, owns the cells of `inner`. `standing` is the
    /// frame in which the member's path stands, the task's own or one within that: both are alive,
    /// no strand runs in them, and the caller holds no reference to them.
    pub(in crate::events) unsafe fn arrive(
        &self,
        thread: &Thread,
        inner: &Inner,
        standing: *mut Frame,
    ) {
        // SAFETY: `standing` is alive and this thread's (`# Safety`); it may be the task's own
        // frame, so the reference ends before the next is made.
        let point = Point::of(unsafe { &mut *standing });
        // SAFETY: the task's own frame is alive and this thread's (`# Safety`). `reach` may write
        // it through `standing` meanwhile: `&mut Frame` does not claim to be alone (`Frame`,
        // `_read_by_thieves`).
        let own_frame = unsafe { &mut *inner.own_frame() };
        // SAFETY: the caller owns the cells (`# Safety`), and the iterator ends here.
        let holds_any = unsafe { inner.scopes() }.any(|scope| scope.holds_any());
        if holds_any || !ptr::eq(own_frame, standing) {
            inner.recorded.keep_structure();
        }
        if !self.take_part(thread, inner, own_frame) {
            let hub = self.hub_of(thread, inner.phase.get());
            inner.recorded.reach(thread, standing, hub);
        }
        let own = own_frame.own().branch;
        self.add(own - inner.own_before.replace(own), own_frame.executed);
        own_frame.executed = Executed::default();
        let mut path = point.frame(self.node);
        path.begin_again();
        path.set_own(Own {
            branch: own,
            beside: 0,
        });
        // SAFETY: the caller owns the cells (`# Safety`), and no reference to the scopes is held.
        let scopes = unsafe { inner.take_scopes() };
        self.offer(thread, Box::new(path), inner.phase.get(), scopes);
        inner.is_at_barrier.store(true, Ordering::Relaxed);
    }

    /// The member `inner` continues after the barrier at which it is.
    ///
    /// # Safety
    /// As [`Instance::arrive`].
    pub(in crate::events) unsafe fn pass(
        &self,
        thread: &Thread,
        inner: &Inner,
        standing: *mut Frame,
    ) {
        let number = inner.phase.get();
        let phase = self.phase(number);
        let after = self.settle(thread, &phase);
        {
            // Whoever passes has seen all members arrive, so all have passed the phases before.
            let mut phases = lock(&self.phases);
            while phases.first < number && phases.all.len() > 1 {
                phases.all.pop_front();
                phases.first += 1;
            }
        }
        // SAFETY: both frames are alive and this thread's (`# Safety`); they may be one, so each is
        // only referred to in its own statement.
        unsafe {
            let Point {
                depth,
                burdened,
                open,
                chain,
            } = after.point.clone();
            (*standing).go_on_at(depth, burdened, open, chain);
            (*inner.own_frame()).set_own(Own {
                branch: after.own,
                beside: 0,
            });
        }
        inner.own_before.set(after.own);
        inner.phase.set(number + 1);
        // SAFETY: both frames are alive and this thread's (`# Safety`); the one is only read, the
        // other only compared.
        unsafe {
            let own_frame: *const Frame = inner.own_frame();
            (inner.recorded).enter_phase(thread, &*standing, after.hub);
            if !ptr::eq(own_frame, standing) {
                inner.recorded.keep_structure();
            }
        }
        inner.is_at_barrier.store(false, Ordering::Relaxed);
    }
}
