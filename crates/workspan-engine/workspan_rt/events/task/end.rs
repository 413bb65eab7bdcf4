//! How a task ends.

use super::inner::{Awaited, Open, ENDED, LEFT, RETURNED};
use super::Task;
use crate::events::point::Point;
use crate::events::scope::{Awaiter, Scope};
use crate::events::Mistake;
use crate::path::frame::Frame;
use crate::state::event_costs::Event;
use crate::thread::{with, Thread};
use std::ptr;
use std::sync::atomic::Ordering;

impl Task {
    /// The task has ended; the calling thread has entered it. Does nothing for the serial code of a
    /// thread, which ends with the thread, and for a member at its team's last barrier.
    pub fn end(&self) {
        with(|thread| self.end_on(thread));
    }

    /// [`Task::end`] on `thread`. Returns what the thread's next strand comes after; `None` if
    /// nothing has ended.
    pub(super) fn end_on(&self, thread: &Thread) -> Option<Event> {
        let inner = &*self.0;
        if !inner.is_run_by(thread) {
            match inner.state.load(Ordering::Relaxed) {
                ENDED | RETURNED => Mistake::EndedTwice.report("an end"),
                LEFT if inner.is_at_barrier.load(Ordering::Relaxed) => {}
                _ => Mistake::NotEntered.report("an end"),
            }
            return None;
        }
        if inner.is_serial_code {
            return None;
        }
        thread.end_strand_or_pause();
        let event = self.bring_path(thread);
        self.give_up(thread, ENDED);
        Some(event)
    }

    /// Hands the path of the task, whose last strand on `thread` has ended, to whatever awaits the
    /// task.
    fn bring_path(&self, thread: &Thread) -> Event {
        let inner = &*self.0;
        thread.come_back_to(inner.frame.get());
        // SAFETY: the thread runs the task, so it owns the cells. The frame is one of
        // `Spares::place`, so of a box, and is taken out here; nobody comes to it as the thread's
        // present one until `give_up`.
        let (mut path, start, awaited, scopes) = unsafe {
            (
                Box::from_raw(inner.frame.replace(ptr::null_mut())),
                &*inner.start.get(),
                (*inner.awaited.get()).take(),
                std::mem::take(&mut *inner.scopes.get()),
            )
        };
        if inner.top {
            let ticks = path.depth - start.depth;
            thread.record_top(inner.node, ticks, &mut path, start.chain.head());
        }
        let event = end_with(&scopes);
        if scopes.iter().any(|open| open.scope.holds_any()) {
            inner.recorded.keep_structure();
        }
        let is_followed = inner.is_followed.load(Ordering::Relaxed);
        let is_taken = match &awaited {
            Some(Awaited::In(instance)) if !is_followed => instance.take_part(thread, inner, &path),
            _ => false,
        };
        let hub = match &awaited {
            _ if is_taken => 0,
            Some(Awaited::By(awaiter)) => awaiter.scope.children_hub.name(thread),
            Some(Awaited::Serially(_, alone)) => alone.children_hub.name(thread),
            Some(Awaited::In(instance)) => instance.hub_of(thread, inner.phase.get()),
            None => 0,
        };
        let follower = if is_followed && thread.records() {
            thread.recorder.new_name()
        } else {
            0
        };
        let is_spawner = ptr::eq(thread, inner.spawner);
        if !is_taken {
            (inner.recorded).end(thread, inner.node, &path, (hub, follower), is_spawner);
        }
        if is_followed {
            let _ = inner.end.set((Point::at_end_of(&mut path), follower));
        }
        let offer = |scope: &Scope, awaiter: &Awaiter, mut path: Box<Frame>| {
            awaiter.mark(&mut path);
            scope.children.add(path.executed);
            thread.spare_frames.take_back(scope.children.offer(path));
        };
        match awaited {
            Some(Awaited::By(awaiter)) => {
                offer(&awaiter.scope, &awaiter, path);
                awaiter.scope.pass_on();
            }
            Some(Awaited::Serially(awaiter, alone)) => {
                offer(&alone, &awaiter, path);
                // SAFETY: the thread owns the task's cells until `give_up`; the spawner takes this
                // one after that.
                unsafe { *inner.awaited.get() = Some(Awaited::Serially(awaiter, alone)) };
            }
            Some(Awaited::In(instance)) => {
                instance.add(path.own().branch - inner.own_before.get(), path.executed);
                let scopes = scopes.into_iter().map(|open| open.scope).collect();
                instance.offer(thread, path, inner.phase.get(), scopes);
            }
            None => {}
        }
        event
    }
}

/// What the end of a task with these scopes is for the strand after it.
fn end_with(scopes: &[Open]) -> Event {
    if scopes.is_empty() {
        Event::Return
    } else if scopes.iter().all(|open| open.scope.is_empty()) {
        Event::ReturnOfWaiter
    } else {
        Event::ReturnOfParent
    }
}
