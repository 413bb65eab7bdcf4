//! How a thread enters a task and leaves it.

use super::inner::{Awaited, Inner, ENTERED, LEFT, NEW};
use super::Task;
use crate::events::point::Point;
use crate::events::Mistake;
use crate::path::frame::Frame;
use crate::state::event_costs::Event;
use crate::thread::{with, Thread};
use std::ptr;
use std::sync::atomic::Ordering;
use std::sync::Arc;

impl Task {
    /// The calling thread begins the task, or resumes it.
    pub fn enter(&self) {
        with(|thread| {
            if self.take_up(thread) {
                self.adopt(thread);
            }
        });
    }

    /// The calling thread leaves the task for `next`, which it begins or resumes at once: one
    /// strand ends and the other begins at the same moment. No other thread may resume the task,
    /// and this one resumes it only after everything it begins meanwhile has ended or been left.
    pub fn turn_to(&self, next: &Self) {
        with(|thread| {
            let is_left = self.leave_on(thread, next.0.is_new());
            next.take_up_after(thread, is_left.then_some(Event::Turn));
        });
    }

    /// The task has ended, and the calling thread begins or resumes `next`, as in
    /// [`Task::turn_to`].
    pub fn end_and_turn_to(&self, next: &Self) {
        with(|thread| {
            let event = self.end_on(thread);
            next.take_up_after(thread, event);
        });
    }

    /// `thread` begins or resumes the task at the boundary of `event`; `None`: there is no such
    /// boundary.
    fn take_up_after(&self, thread: &Thread, event: Option<Event>) {
        if !self.take_up(thread) {
            return;
        }
        match event {
            Some(event) => {
                self.stand(thread);
                thread.stretch.expect_nothing();
                thread.continue_strand_after(event);
            }
            None => self.adopt(thread),
        }
    }

    /// Lets `thread` enter the task, new or left. False if that is not possible.
    pub(super) fn take_up(&self, thread: &Thread) -> bool {
        if !thread.task.get().is_null() {
            Mistake::ThreadBusy.report("an entry");
            return false;
        }
        Self::leave_serial_code(thread);
        let inner = &*self.0;
        if inner.is_serial_code && !ptr::eq(thread, inner.spawner) {
            Mistake::NotEntered.report("an entry of another thread's serial code,");
            return false;
        }
        if !inner.change([NEW, LEFT], ENTERED) {
            Mistake::EnteredTwice.report("an entry");
            return false;
        }
        let stays_on = inner.stays_on.get();
        if !stays_on.is_null() && !ptr::eq(stays_on, thread) {
            inner.state.store(LEFT, Ordering::Release);
            Mistake::OfOtherThread.report("an entry");
            return false;
        }
        self.hold(thread);
        thread.refresh();
        if inner.frame.get().is_null() {
            self.begin(thread);
        } else if !stays_on.is_null() {
            inner.recorded.come_back(thread);
        } else if !inner.is_serial_code {
            // SAFETY: the state has made this thread the owner of the task's cells. The frame in
            // which the path of a task stands that was left is alive, and nobody writes it.
            let node = unsafe { (*inner.present.get()).node };
            inner.recorded.enter(thread, node, 0, 0);
        }
        true
    }

    /// If `thread` runs code of the program that nothing has reported, makes that its serial code
    /// and leaves it.
    pub(super) fn leave_serial_code(thread: &Thread) {
        if !thread.present().is_null() {
            let code = Self::serial_code(thread);
            thread.end_strand_if_any(0);
            code.0.present.set(thread.present());
            code.give_up(thread, LEFT);
        }
    }

    /// Lets `thread`, which holds the task, run it.
    fn adopt(&self, thread: &Thread) {
        self.stand(thread);
        self.start(thread);
    }

    /// Starts a strand of the task, which `thread` holds.
    pub(super) fn start(&self, thread: &Thread) {
        thread.start_strand_after_wait();
        thread.take_off(Event::Reading);
    }

    /// Makes the task, which is marked as entered, the one that `thread` runs.
    fn hold(&self, thread: &Thread) {
        // If the task stayed, the thread still has its count.
        let held = match self.0.stays_on.replace(ptr::null()).is_null() {
            true => Arc::into_raw(self.0.clone()),
            false => Arc::as_ptr(&self.0),
        };
        thread.task.set(held.cast());
    }

    /// Sets the path of `thread`, which holds the task, to where the task's path stands.
    pub(super) fn stand(&self, thread: &Thread) {
        thread.is_away.set(false);
        thread.adopt(self.0.present.get(), thread.stack_end());
    }

    fn begin(&self, thread: &Thread) {
        let inner = &*self.0;
        // SAFETY: the task was new, so the state has made this thread the owner of its cells; no
        // other reference to this one is alive.
        let start = unsafe { &mut *inner.start.get() };
        let burden = thread.settings.get().burden;
        let mut hubs = Vec::new();
        let mut is_tied = false;
        for before in inner.take_before() {
            if let Some((end, hub)) = before.0.end.get() {
                hubs.push(*hub);
                is_tied |= !inner.recorded.follow(&before.0.recorded);
                start.after(&Point {
                    burdened: end.burdened + burden,
                    ..end.clone()
                });
            }
        }
        // The path of a top instance is recorded when it ends, from where it began.
        let chain = match inner.top {
            true => start.chain.clone(),
            false => std::mem::take(&mut start.chain),
        };
        let (depth, burdened) = (start.depth, start.burdened);
        let mut frame = Frame::at(depth, burdened, start.open, inner.node, chain);
        frame.top = inner.top;
        let is_spawner = ptr::eq(thread, inner.spawner);
        let others = (&hubs[..], is_tied);
        inner.recorded.begin(thread, &frame, others, is_spawner);
        let cell = thread.cell(inner.node);
        // SAFETY: the state has made this thread the owner of the task's cells, and nothing here
        // changes this one.
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
        with(|thread| self.leave_on(thread, false));
    }

    /// [`Task::leave`] on `thread`. If it `stays`, its lane stays open in the thread's record,
    /// around what begins now. False if the thread does not run the task.
    fn leave_on(&self, thread: &Thread, stays: bool) -> bool {
        let left = self.at_boundary_on(thread, "a leave", |frame| {
            if self.0.is_serial_code {
                return;
            }
            if stays {
                self.0.stays_on.set(thread);
            } else {
                self.0.recorded.leave(thread, frame);
            }
        });
        if left.is_some() && !self.0.stays_on.get().is_null() {
            self.0.present.set(thread.present());
            self.let_go(thread, LEFT);
        } else if left.is_some() {
            self.put_down(thread);
        }
        left.is_some()
    }

    /// The thread, which has ended its strand of the task, turns to something else.
    fn put_down(&self, thread: &Thread) {
        self.0.present.set(thread.present());
        self.give_up(thread, LEFT);
    }

    /// Ends the strand, calls `f` with the thread and the frame in which the path stands, and
    /// leaves the task.
    pub(in crate::events) fn leave_for<R>(
        &self,
        what: &str,
        f: impl FnOnce(&Thread, *mut Frame) -> R,
    ) -> Option<R> {
        with(|thread| {
            let result = self.at_boundary_on(thread, what, |frame| f(thread, frame))?;
            self.put_down(thread);
            Some(result)
        })
        .flatten()
    }

    /// The thread no longer runs the task.
    pub(super) fn give_up(&self, thread: &Thread, state: u8) {
        let held = self.let_go(thread, state);
        // SAFETY: `hold` kept this count in `thread.task`, which has just been emptied, so it is
        // taken once; the caller has another.
        drop(unsafe { Arc::from_raw(held) });
    }

    /// [`Task::give_up`] but for the thread's count of the task, which is returned.
    fn let_go(&self, thread: &Thread, state: u8) -> *const Inner {
        let held = thread.task.replace(ptr::null()).cast();
        thread.is_away.set(true);
        thread.adopt(ptr::null_mut(), 0);
        self.0.state.store(state, Ordering::Release);
        held
    }

    /// Ends the running strand, calls `f` with the frame in which the path stands, and begins the
    /// next strand after `event`.
    pub(in crate::events) fn running_strand<R>(
        &self,
        what: &str,
        event: Event,
        f: impl FnOnce(&Thread, *mut Frame) -> R,
    ) -> Option<R> {
        self.running_strand_to_event(what, |thread, frame| (event, f(thread, frame)))
    }

    /// [`Task::running_strand`] where `f` returns the event.
    pub(super) fn running_strand_to_event<R>(
        &self,
        what: &str,
        f: impl FnOnce(&Thread, *mut Frame) -> (Event, R),
    ) -> Option<R> {
        with(|thread| {
            let (event, result) = self.at_boundary_on(thread, what, |frame| f(thread, frame))?;
            thread.continue_strand_after(event);
            Some(result)
        })
        .flatten()
    }

    /// Ends the strand of the task, if `thread` runs it, and calls `f` with the frame in which the
    /// path stands.
    fn at_boundary_on<R>(
        &self,
        thread: &Thread,
        what: &str,
        f: impl FnOnce(*mut Frame) -> R,
    ) -> Option<R> {
        if !self.0.is_run_by(thread) {
            Mistake::NotEntered.report(what);
            return None;
        }
        thread.end_strand_or_pause();
        Some(f(thread.present()))
    }

    /// Resumes a task that was left: calls `f` with the frame in which its path stands, and begins
    /// a strand.
    pub(in crate::events) fn enter_again(&self, what: &str, f: impl FnOnce(&Thread, *mut Frame)) {
        with(|thread| {
            if !thread.task.get().is_null() {
                return Mistake::ThreadBusy.report(what);
            }
            Self::leave_serial_code(thread);
            if !self.0.change([LEFT, LEFT], ENTERED) {
                return Mistake::EnteredTwice.report(what);
            }
            self.hold(thread);
            thread.refresh();
            f(thread, self.0.present.get());
            self.adopt(thread);
        });
    }
}
