//! How a thread enters a task and leaves it.

use super::super::point::Point;
use super::super::Mistake;
use super::inner::{Awaited, ENTERED, LEFT, NEW};
use super::Task;
use crate::frame::Frame;
use crate::thread::{own_stack_end, with, Thread};
use std::ptr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

impl Task {
    /// The calling thread begins the task, or goes on with it.
    pub fn enter(&self) {
        with(|thread| {
            if !thread.task.get().is_null() {
                return Mistake::ThreadBusy.report("an entry");
            }
            Self::leave_serial_code(thread);
            let inner = &*self.0;
            if inner.is_serial_code && !ptr::eq(thread, inner.spawner) {
                return Mistake::NotEntered.report("an entry of another thread's serial code,");
            }
            if !inner.change([NEW, LEFT], ENTERED) {
                return Mistake::EnteredTwice.report("an entry");
            }
            thread.refresh();
            if inner.frame.get().is_null() {
                self.begin(thread);
            } else if !inner.is_serial_code {
                // SAFETY: where the path stands while the task is left, which is this thread's now.
                let node = unsafe { (*inner.present.get()).node };
                inner.recorded.enter(thread, node, 0, 0);
            }
            self.adopt(thread);
        });
    }

    /// Leaves what `thread` runs without having told of it, if that is the program's.
    pub(super) fn leave_serial_code(thread: &Thread) {
        if !thread.present().is_null() {
            let code = Self::serial_code(thread);
            thread.end_strand_if_any(thread.settings.get().ordinary_cost);
            code.0.present.set(thread.present());
            code.give_up(thread, LEFT);
        }
    }

    /// Makes the task, which is marked as entered, the one that `thread` runs.
    pub(in crate::events) fn adopt(&self, thread: &Thread) {
        thread.is_away.set(false);
        thread.task.set(Arc::into_raw(self.0.clone()));
        thread.adopt(self.0.present.get(), own_stack_end());
        thread.start_strand_after_wait();
    }

    fn begin(&self, thread: &Thread) {
        let inner = &*self.0;
        // SAFETY: the task was new, so this thread owns its cells.
        let start = unsafe { &mut *inner.start.get() };
        let burden = thread.settings.get().burden;
        let mut hubs = Vec::new();
        let mut is_tied = false;
        for before in
            std::mem::take(&mut *inner.before.lock().unwrap_or_else(PoisonError::into_inner))
        {
            if let Some((end, hub)) = before.0.end.get() {
                hubs.push(*hub);
                is_tied |= !inner.recorded.follow(&before.0.recorded);
                start.after(&Point {
                    burdened: end.burdened + burden,
                    ..end.clone()
                });
            }
        }
        let mut frame = start.frame(inner.node);
        frame.top = inner.top;
        let is_spawner = ptr::eq(thread, inner.spawner);
        let others = (&hubs[..], is_tied);
        inner.recorded.begin(thread, &frame, others, is_spawner);
        let cell = thread.cell(inner.node);
        // SAFETY: as above.
        match unsafe { &*inner.awaited.get() } {
            Some(Awaited::In(_)) => cell.broadcast_tasks.add(1),
            _ => cell.count.add(1),
        }
        if !ptr::eq(thread, inner.spawner) {
            cell.stolen.add(1);
        }
        let frame = thread.spare_frames.place(frame);
        inner.frame.set(frame);
        inner.present.set(frame);
    }

    /// The task's strand ends; the thread runs nothing of the program until it enters a task.
    pub fn leave(&self) {
        self.leave_for("a leave", |thread, frame| {
            if !self.0.is_serial_code {
                self.0.recorded.leave(thread, frame);
            }
        });
    }

    /// Ends the strand, calls `f` with the thread and the frame in which the path stands, and leaves the task.
    pub(in crate::events) fn leave_for<R>(
        &self,
        what: &str,
        f: impl FnOnce(&Thread, *mut Frame) -> R,
    ) -> Option<R> {
        self.at_boundary(what, f, |thread| {
            self.0.present.set(thread.present());
            self.give_up(thread, LEFT);
        })
    }

    /// Ends the running strand, calls `f` with the frame in which the path stands, and begins the next.
    pub(in crate::events) fn running_strand<R>(
        &self,
        what: &str,
        f: impl FnOnce(&Thread, *mut Frame) -> R,
    ) -> Option<R> {
        self.at_boundary(what, f, |thread| {
            thread.continue_strand();
            thread.begin_strand_here();
        })
    }

    /// Ends the strand of the task, if the calling thread runs it, and calls `f`, then `go_on`.
    fn at_boundary<R>(
        &self,
        what: &str,
        f: impl FnOnce(&Thread, *mut Frame) -> R,
        go_on: impl FnOnce(&Thread),
    ) -> Option<R> {
        with(|thread| {
            if !self.0.is_run_by(thread) {
                Mistake::NotEntered.report(what);
                return None;
            }
            thread.end_strand_if_any(thread.settings.get().ordinary_cost);
            let result = f(thread, thread.present());
            go_on(thread);
            Some(result)
        })
        .flatten()
    }

    /// The thread runs the task no longer.
    pub(super) fn give_up(&self, thread: &Thread, state: u8) {
        let held = thread.task.replace(ptr::null());
        thread.is_away.set(true);
        thread.adopt(ptr::null_mut(), 0);
        self.0.state.store(state, Ordering::Release);
        // SAFETY: `adopt` took this count. The caller holds another.
        drop(unsafe { Arc::from_raw(held) });
    }

    /// Goes on with a task that was left: calls `f` with the frame in which its path stands, and begins a strand.
    pub(in crate::events) fn enter_again(&self, what: &str, f: impl FnOnce(&Thread, *mut Frame)) {
        with(|thread| {
            if !thread.task.get().is_null() {
                return Mistake::ThreadBusy.report(what);
            }
            Self::leave_serial_code(thread);
            if !self.0.change([LEFT, LEFT], ENTERED) {
                return Mistake::EnteredTwice.report(what);
            }
            thread.refresh();
            f(thread, self.0.present.get());
            self.adopt(thread);
        });
    }
}
