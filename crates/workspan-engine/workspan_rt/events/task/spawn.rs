//! How a task is spawned.

use super::inner::{Awaited, Inner};
use super::Task;
use crate::events::instance::Instance;
use crate::events::point::Point;
use crate::events::recorded::Recorded;
use crate::events::scope::{Awaiter, Scope};
use crate::state::event_costs::Event;
use crate::thread::Thread;
use crate::tree::construct::Construct;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

impl Task {
    /// The task, which the calling thread runs, spawns another. `None` with the engine off.
    pub fn spawn(&self, construct: &Construct) -> Option<Self> {
        self.spawn_in(construct, None)
    }

    /// Spawns a task that is run at once, while this one waits: see [`Task::continue_after`].
    pub fn spawn_serially(&self, construct: &Construct) -> Option<Self> {
        self.spawn_as(construct, None, true)
    }

    /// [`Task::spawn`] into `scope`; `None`: into the task's innermost scope.
    pub(in crate::events) fn spawn_in(
        &self,
        construct: &Construct,
        scope: Option<&Arc<Scope>>,
    ) -> Option<Self> {
        self.spawn_as(construct, scope, false)
    }

    fn spawn_as(
        &self,
        construct: &Construct,
        scope: Option<&Arc<Scope>>,
        serially: bool,
    ) -> Option<Self> {
        self.running_strand_to_event("a spawn", |thread, frame| {
            // SAFETY: the frame is the present one of this thread, which has just ended a strand in
            // it: it is alive, and only this thread writes it.
            let frame = unsafe { &mut *frame };
            let edge = construct.enter(thread, frame.node);
            frame.executed.spawns += 1;
            let mut start = Point::of(frame);
            // SAFETY: the thread runs the task (`at_boundary_on`), so it owns the cells.
            let event = match scope.is_some() || unsafe { self.0.has_scope() } {
                true => Event::Spawn,
                false => Event::FirstSpawn,
            };
            // SAFETY: the thread runs the task (`at_boundary_on`), so it owns the cells, and no
            // reference to the scopes is held.
            let scope_of = || unsafe { self.0.scope() };
            let awaiter = Awaiter::here(scope.map_or_else(scope_of, Arc::clone), frame);
            let awaited = if serially {
                let alone = Scope::new(Some(awaiter.clone()));
                Awaited::Serially(awaiter, alone)
            } else {
                start.burdened += thread.settings.get().burden;
                Awaited::By(awaiter)
            };
            let recorded = &self.0.recorded;
            let recorded_start = if serially {
                recorded.spawn_serially(thread, frame, edge.node)
            } else {
                recorded.spawn(thread, frame, edge.node)
            };
            if scope.is_some() {
                // Another task may await it.
                recorded.keep_structure();
            }
            let recorded = Recorded::new(recorded_start, recorded.as_spawner(thread));
            let mut inner = Inner::new(start, edge.node, thread, Some(awaited), recorded);
            inner.top = edge.top;
            (event, Self(Arc::new(inner)))
        })
    }

    /// A part of `instance` that begins at `start`.
    pub(in crate::events) fn part_of(
        instance: Arc<Instance>,
        start: Point,
        spawner: *const Thread,
        is_stealable: bool,
    ) -> Self {
        let (node, recorded) = (instance.node, instance.recorded_part(is_stealable));
        Self(Arc::new(Inner::new(
            start,
            node,
            spawner,
            Some(Awaited::In(instance)),
            recorded,
        )))
    }

    /// Lets others [`follow`](Task::follow) the task. Call before it ends.
    pub fn allow_followers(&self) {
        self.0.is_followed.store(true, Ordering::Relaxed);
    }

    /// The task begins only after `before`, which [allows](Task::allow_followers) that, has ended
    /// as well. Call before the task is entered.
    pub fn follow(&self, before: &Self) {
        let all = self.0.before.get_or_init(Mutex::default);
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(before.clone());
    }
}
