//! How a task waits for others.

use super::inner::{Awaited, Open, ENDED, RETURNED};
use super::Task;
use crate::constructs::serial;
use crate::events::hub::Hub;
use crate::events::scope::{
    continue_after, continue_after_serial, count_wait, Awaiter, Paths, Scope,
};
use crate::events::Mistake;
use crate::state::event_costs::Event;
use crate::thread::{with, Thread};
use crate::tree::construct::Construct;
use std::ptr;

/// Ended tasks of a scope that may be awaited: their paths, and the hubs they lead to in the
/// record.
type Awaitable<'a> = [Option<(&'a Paths, &'a Hub)>; 2];

fn children(scope: &Scope) -> Awaitable<'_> {
    [Some((&scope.children, &scope.children_hub)), None]
}

fn all(scope: &Scope) -> Awaitable<'_> {
    let [children, _] = children(scope);
    [children, Some((&scope.descendants, &scope.descendants_hub))]
}

impl Task {
    /// The task, which the calling thread runs, continues after the tasks that it has spawned so
    /// far.
    pub fn wait_for_children(&self) {
        self.running_strand("a wait", Event::Reading, |thread, _| {
            self.go_on(thread, children);
        });
    }

    /// The task, which the calling thread runs, continues after the tasks that it has spawned so
    /// far, and all below them.
    pub fn wait_for_all(&self) {
        self.running_strand("a wait", Event::Reading, |thread, _| {
            self.go_on(thread, all);
        });
    }

    /// The calling thread enters the task, which was left to wait, again, after the tasks that it
    /// has spawned so far.
    pub fn enter_after_children(&self) {
        with(|thread| {
            if self.take_up(thread) {
                self.stand(thread);
                self.go_on(thread, children);
                self.start(thread);
            }
        });
    }

    /// The path of the task, which `thread` runs, continues after what `awaited` selects of each
    /// scope.
    fn go_on(&self, thread: &Thread, awaited: fn(&Scope) -> Awaitable<'_>) {
        // SAFETY: the thread runs the task, so it has a present frame, which is alive and which
        // only this thread writes; callers hold no reference to it.
        let frame = unsafe { &mut *thread.present() };
        count_wait(thread, frame);
        // SAFETY: the thread runs the task, so it owns the cells, and nothing here changes this
        // one.
        let scopes = unsafe { &*self.0.scopes.get() };
        let take_hubs = |scope| {
            awaited(scope).map(|tasks: Option<(_, &Hub)>| tasks.map_or(0, |(_, hub)| hub.take()))
        };
        for open in scopes {
            for (tasks, _) in awaited(&open.scope).into_iter().flatten() {
                continue_after(thread, frame, tasks);
            }
        }
        if let Some((innermost, around)) = scopes.split_last() {
            for hub in around.iter().flat_map(|open| take_hubs(&open.scope)) {
                self.0.recorded.continue_after_others(thread, hub);
            }
            let hubs = take_hubs(&innermost.scope);
            self.0.recorded.end_block(thread, frame, hubs);
        }
    }

    /// The task, which the calling thread runs, continues after `child`, which it [spawned
    /// serially](Task::spawn_serially) and which has ended.
    pub fn continue_after(&self, child: &Self) {
        self.running_strand("a return", Event::Reading, |thread, frame| {
            if !child.0.change([ENDED, ENDED], RETURNED) {
                return Mistake::NotEntered.report("a return from a task");
            }
            // SAFETY: the frame is the present one of this thread, which has just ended a strand in
            // it: it is alive, and only this thread writes it.
            let frame = unsafe { &mut *frame };
            // SAFETY: `change` lets one caller alone bring an ended task here, and orders what its
            // own thread wrote; that one touches the cell no more.
            if let Some(Awaited::Serially(_, alone)) = unsafe { (*child.0.awaited.get()).take() } {
                continue_after_serial(thread, frame, &alone.children);
                let hub = alone.children_hub.take();
                // SAFETY: the thread runs the task (`at_boundary_on`), so it owns the cells, and
                // the reference ends here.
                let is_alone =
                    (unsafe { &*self.0.scopes.get() }.iter()).all(|open| !open.scope.holds_any());
                self.0.recorded.return_from(thread, frame, hub, is_alone);
            }
        });
    }

    /// Begins a block that awaits all tasks spawned in it, by the task itself or below it; as an
    /// instance of `construct`, if that is given.
    pub fn begin_scope(&self, construct: Option<&Construct>) {
        self.running_strand("a scope", Event::Reading, |thread, frame| {
            self.0.recorded.begin_scope(thread);
            // SAFETY: the frame is the present one of this thread, so it is alive, and nobody else
            // writes it; the thread runs the task, so it owns the cells.
            let (node, outer) = unsafe { ((*frame).node, Awaiter::here(self.0.scope(), &*frame)) };
            let own = construct.map_or(ptr::null_mut(), |construct| {
                serial::enter(thread, construct.enter(thread, node))
            });
            // SAFETY: the thread runs the task, so it owns the cells, and no other reference to
            // this one is held.
            unsafe { &mut *self.0.scopes.get() }.push(Open {
                scope: Scope::new(Some(outer)),
                frame: own,
            });
        });
    }

    /// Ends the innermost such block, all of whose tasks have ended.
    pub fn end_scope(&self) {
        self.running_strand("a scope's end", Event::Reading, |thread, _| {
            // SAFETY: the thread runs the task (`at_boundary_on`), so it owns the cells, and no
            // other reference to this one is held.
            let scopes = unsafe { &mut *self.0.scopes.get() };
            // The first is the task's own.
            if scopes.len() < 2 {
                return Mistake::ScopeNotBegun.report("a scope's end");
            }
            let Some(open) = scopes.pop() else { return };
            if !open.frame.is_null() {
                thread.come_back_to(open.frame);
            }
            // SAFETY: the thread runs the task, so it has a present frame, which is alive and which
            // only this thread writes; no other reference to it is held.
            let frame = unsafe { &mut *thread.present() };
            if open.frame.is_null() {
                count_wait(thread, frame);
            } else {
                // The wait is one with its construct.
                frame.executed.syncs += 1;
            }
            continue_after(thread, frame, &open.scope.children);
            continue_after(thread, frame, &open.scope.descendants);
            let hubs = open.scope.take_hubs();
            self.0.recorded.end_scope(thread, frame, hubs);
            if !open.frame.is_null() {
                serial::leave(thread, open.frame);
            }
        });
    }
}
