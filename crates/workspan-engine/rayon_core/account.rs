//! The accounts of tasks.

use crate::waiting::has_tasks;
use std::panic::Location;
use workspan_rt::idle::Worker;
use workspan_rt::{mode, Call, Kind, Mode, Seed, Task};

/// The account of a task that no scope waits for.
pub(crate) enum Account {
    None,
    Profile(Task),
    /// With the worker that spawned it, if any.
    Idle(Option<Worker>),
}

impl Account {
    /// The account of a detached task with a closure of type `F`.
    pub(crate) fn detached<F>(location: &'static Location<'static>) -> Self {
        match mode() {
            Mode::Idle => Self::Idle(workspan_rt::idle::worker()),
            _ => Task::detached(Call::new::<F>(Kind::Spawn, location))
                .map_or(Self::None, Self::Profile),
        }
    }

    /// The account of one task of a broadcast; in a profile each gets one from `seed`.
    pub(crate) fn instance(seed: &Option<Seed>) -> Self {
        match (seed, mode()) {
            (Some(seed), _) => Self::Profile(seed.instance()),
            (None, Mode::Idle) => Self::Idle(None),
            (None, _) => Self::None,
        }
    }

    /// Runs `body` as the task.
    #[inline]
    pub(crate) fn run<R>(self, body: impl FnOnce() -> R) -> R {
        match self {
            Self::None => body(),
            Self::Profile(task) => task.run(body),
            Self::Idle(spawner) => workspan_rt::idle::task(spawner, has_tasks, body),
        }
    }
}

/// Runs `body` as `task`, if there is an account of it.
#[inline]
pub(crate) fn run<R>(task: Option<Task>, body: impl FnOnce() -> R) -> R {
    match task {
        Some(task) => task.run(body),
        None => body(),
    }
}
