//! How a task begins a construct of parallel parts, and continues after it.

use super::Task;
use crate::events::instance::{Instance, Shared};
use crate::events::point::Point;
use crate::events::scope::Awaiter;
use crate::path::frame::Frame;
use crate::thread::Thread;
use crate::tree::construct::Construct;
use std::ptr;
use std::sync::Arc;

impl Task {
    /// The task's strand ends in `construct`, a team of so many `members`, or if `None` a loop; the
    /// task is left.
    pub(in crate::events) fn begin_instance(
        &self,
        what: &str,
        construct: &Construct,
        members: Option<usize>,
    ) -> Option<(Arc<Instance>, *const Thread)> {
        self.leave_for(what, |thread, frame| {
            // SAFETY: `leave_for` passes the present frame of this thread, which has just ended a
            // strand in it: it is alive, and only this thread writes it.
            let frame = unsafe { &mut *frame };
            frame.executed.spawns += members.unwrap_or(0) as i64;
            let edge = construct.enter(thread, frame.node);
            thread.cell(edge.node).count.add(1);
            let instance = self.instance(thread, frame, (edge.node, edge.top), members.is_some());
            (instance, ptr::from_ref(thread))
        })
    }

    /// [`Task::begin_instance`] for a share of a construct. From the construct's node, `shared`
    /// finds the construct and whether it is new.
    pub(in crate::events) fn begin_share(
        &self,
        construct: &Construct,
        shared: impl FnOnce((u32, bool)) -> (Arc<Shared>, bool),
    ) -> Option<(Arc<Instance>, *const Thread, Arc<Shared>)> {
        self.leave_for("a loop", |thread, frame| {
            // SAFETY: `leave_for` passes the present frame of this thread, which has just ended a
            // strand in it: it is alive, and only this thread writes it.
            let frame = unsafe { &mut *frame };
            let edge = construct.enter(thread, frame.node);
            let (shared, is_new) = shared((edge.node, edge.top));
            thread.cell(edge.node).count.add(i64::from(is_new));
            let instance = self.instance(thread, frame, (edge.node, false), false);
            (instance, ptr::from_ref(thread), shared)
        })
    }

    fn instance(
        &self,
        thread: &Thread,
        frame: &mut Frame,
        edge: (u32, bool),
        awaits_tasks: bool,
    ) -> Arc<Instance> {
        let start = Point::of(frame);
        // SAFETY: `leave_for` calls this while the thread runs the task, so it owns the cells.
        let around = Awaiter::here(unsafe { self.0.scope() }, frame);
        let ends = !self.0.is_serial_code;
        let (hub, construct) = (self.0.recorded).begin_construct(thread, frame, edge.0, ends);
        Instance::new(edge, start, around, awaits_tasks, (hub, construct))
    }

    /// The `instance` in which the task was left is over: `f` lets the task's frame continue, and
    /// the calling thread resumes the task. `f` returns the hub after which that is in the record,
    /// or 0.
    pub(in crate::events) fn end_instance(
        &self,
        what: &str,
        instance: &Instance,
        f: impl FnOnce(&Thread, &mut Frame) -> u64,
    ) {
        self.enter_again(what, |thread, frame| {
            // SAFETY: `enter_again` has made this thread the task's owner, and passes the frame in
            // which its path stands: it is alive, and only this thread writes it.
            let frame = unsafe { &mut *frame };
            let hub = f(thread, frame);
            let recorded = &self.0.recorded;
            if instance.is_folded(thread, recorded, frame) {
                return;
            }
            if self.0.is_serial_code {
                recorded.enter_serial_code(thread, hub);
            } else {
                recorded.enter(thread, frame.node, hub, instance.node + 1);
            }
        });
    }
}
