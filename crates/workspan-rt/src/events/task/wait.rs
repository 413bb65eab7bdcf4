//! How a task waits for others.

use super::super::construct::Construct;
use super::super::hub::Hub;
use super::super::scope::{continue_after, Awaiter, Scope};
use super::super::Mistake;
use super::inner::{Awaited, Open, ENDED, RETURNED};
use super::Task;
use crate::longest::Longest;
use crate::serial;
use std::ptr;

impl Task {
    /// The task, which the calling thread runs, goes on after the tasks that it has spawned so far.
    pub fn wait_for_children(&self) {
        self.wait_for(|scope| [Some((&scope.children, &scope.children_hub)), None]);
    }

    /// The task, which the calling thread runs, goes on after the tasks that it has spawned so far, and all below them.
    pub fn wait_for_all(&self) {
        self.wait_for(|scope| {
            [
                Some((&scope.children, &scope.children_hub)),
                Some((&scope.descendants, &scope.descendants_hub)),
            ]
        });
    }

    /// Goes on after what `awaited` tells of each scope.
    fn wait_for(&self, awaited: impl Fn(&Scope) -> [Option<(&Longest, &Hub)>; 2]) {
        self.running_strand("a wait", |thread, frame| {
            // SAFETY: the present frame of this thread.
            let frame = unsafe { &mut *frame };
            frame.effort.syncs += 1;
            // SAFETY: the thread runs the task.
            for open in unsafe { &*self.0.scopes.get() } {
                for (tasks, hub) in awaited(&open.scope).into_iter().flatten() {
                    continue_after(thread, frame, tasks);
                    self.0.recorded.continue_after(thread, hub.take());
                }
            }
        });
    }

    /// The task, which the calling thread runs, goes on after `child`, which it [spawned serially](Task::spawn_serially)
    /// and which has ended.
    pub fn continue_after(&self, child: &Self) {
        self.running_strand("a return", |thread, frame| {
            if !child.0.change([ENDED, ENDED], RETURNED) {
                return Mistake::NotEntered.report("a return from a task");
            }
            // SAFETY: the present frame of this thread.
            let frame = unsafe { &mut *frame };
            // SAFETY: the child has ended, and only one caller has brought it here.
            if let Some(Awaited::Serially(_, alone)) = unsafe { (*child.0.awaited.get()).take() } {
                continue_after(thread, frame, &alone.children);
                let hub = alone.children_hub.take();
                self.0.recorded.continue_after(thread, hub);
            }
        });
    }

    /// Begins a block that awaits all tasks which are spawned in it, by the task itself or below. As an instance of
    /// `construct`, if that is given.
    pub fn begin_scope(&self, construct: Option<&Construct>) {
        self.running_strand("a scope", |thread, frame| {
            self.0.recorded.forget_point();
            // SAFETY: the thread runs the task.
            let around = unsafe { self.0.scope() };
            // SAFETY: the present frame of this thread.
            let (node, own) = unsafe { ((*frame).node, (*frame).own().branch) };
            let outer = Awaiter {
                scope: around,
                frame,
                own,
            };
            let own = construct.map_or(ptr::null_mut(), |construct| {
                serial::enter(thread, construct.enter(thread, node))
            });
            // SAFETY: as above.
            unsafe { &mut *self.0.scopes.get() }.push(Open {
                scope: Scope::new(Some(outer)),
                frame: own,
            });
        });
    }

    /// Ends the innermost such block: all its tasks have ended.
    pub fn end_scope(&self) {
        self.running_strand("a scope's end", |thread, _| {
            // SAFETY: the thread runs the task.
            let scopes = unsafe { &mut *self.0.scopes.get() };
            // The first is the task's own.
            if scopes.len() < 2 {
                return Mistake::ScopeNotBegun.report("a scope's end");
            }
            let Some(open) = scopes.pop() else { return };
            if !open.frame.is_null() {
                thread.come_back_to(open.frame);
            }
            // SAFETY: the present frame of this thread; none is referred to but by this.
            let frame = unsafe { &mut *thread.present() };
            frame.effort.syncs += 1;
            continue_after(thread, frame, &open.scope.children);
            continue_after(thread, frame, &open.scope.descendants);
            self.0.recorded.forget_point();
            for hub in open.scope.take_hubs() {
                self.0.recorded.continue_after(thread, hub);
            }
            if !open.frame.is_null() {
                serial::leave(thread, open.frame);
            }
        });
    }
}
