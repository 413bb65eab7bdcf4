//! Detached tasks.

use crate::engine;
use rayon_core_real as real;
use std::panic::Location;
use workspan_rt::{Call, Kind, Task};

/// Starts a task that nobody awaits; as rayon's `spawn`.
#[track_caller]
pub fn spawn<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    engine::prepare();
    let task = detached::<F>(Location::caller());
    real::spawn(move || engine::run(task, func));
}

/// Starts a task that nobody awaits, in order with others of the same thread; as rayon's `spawn_fifo`.
#[track_caller]
pub fn spawn_fifo<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    engine::prepare();
    let task = detached::<F>(Location::caller());
    real::spawn_fifo(move || engine::run(task, func));
}

pub(crate) fn detached<F>(location: &'static Location<'static>) -> Option<Task> {
    Task::detached(Call::new::<F>(Kind::Spawn, location))
}
