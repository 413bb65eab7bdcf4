//! Tasks that are awaited together, whoever spawned them.

use super::scope::{continue_after, count_wait, Scope};
use super::task::Task;
use crate::state::event_costs::Event;
use crate::tree::construct::Construct;
use std::sync::Arc;

/// A group of tasks. Any task may spawn into it and any task may await it; it need not be nested in
/// anything. What nobody has awaited when the last handle is dropped and its last task has ended is
/// left to the end of the program.
#[derive(Clone)]
pub struct Gathering(Arc<Scope>);

impl Gathering {
    /// A group without tasks.
    pub fn new() -> Self {
        Self(Scope::new(None))
    }

    /// `task`, which the calling thread runs, spawns another into the group. `None` with the engine
    /// off.
    pub fn spawn(&self, task: &Task, construct: &Construct) -> Option<Task> {
        task.spawn_in(construct, Some(&self.0))
    }

    /// `task`, which the calling thread runs, continues after all tasks of the group so far, which
    /// have ended.
    pub fn wait(&self, task: &Task) {
        task.running_strand("a wait for a group", Event::Reading, |thread, frame| {
            // SAFETY: `running_strand` passes the present frame of this thread, which has just
            // ended a strand in it: it is alive, and only this thread writes it.
            let frame = unsafe { &mut *frame };
            count_wait(thread, frame);
            continue_after(thread, frame, &self.0.children);
            continue_after(thread, frame, &self.0.descendants);
            let recorded = &task.0.recorded;
            for hub in self.0.take_hubs() {
                recorded.continue_after_others(thread, hub);
            }
        });
    }
}

impl Default for Gathering {
    fn default() -> Self {
        Self::new()
    }
}
