//! What is taken off strands at the events that a runtime reports.

/// The event before a strand.
#[derive(Clone, Copy)]
pub(crate) enum Event {
    /// A spawn, in the spawning task.
    Spawn,
    /// The task's first spawn, for which a scope is made.
    FirstSpawn,
    /// The thread turned to this task from another one.
    Turn,
    /// The end of the task that the thread ran before, which spawned none.
    Return,
    /// The same, if that task leaves ended tasks that it spawned to whatever is around it.
    ReturnOfParent,
    /// The same, if that task spawned tasks and leaves none.
    ReturnOfWaiter,
    /// Anything else: a reading of the clock alone.
    Reading,
}

/// What is taken off a strand, by the event before it, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Costs {
    pub(crate) spawn: i64,
    pub(crate) first_spawn: i64,
    pub(crate) turn: i64,
    pub(crate) of_return: i64,
    pub(crate) return_of_parent: i64,
    pub(crate) return_of_waiter: i64,
    pub(crate) reading: i64,
}

impl Costs {
    pub(crate) fn of(&self, event: Event) -> i64 {
        match event {
            Event::Spawn => self.spawn,
            Event::FirstSpawn => self.first_spawn,
            Event::Turn => self.turn,
            Event::Return => self.of_return,
            Event::ReturnOfParent => self.return_of_parent,
            Event::ReturnOfWaiter => self.return_of_waiter,
            Event::Reading => self.reading,
        }
    }
}
