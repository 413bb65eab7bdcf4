//! Detached tasks.

use crate::account::Account;
use crate::elision::Pool;
use crate::engine;
use rayon_core_real as real;
use std::panic::Location;
use workspan_rt::{mode, Mode};

/// Starts a task that nobody awaits; like rayon's `spawn`.
#[track_caller]
pub fn spawn<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    if mode() == Mode::Elision {
        return Pool::global().run_detached(func);
    }
    engine::prepare_spawn();
    let account = Account::detached::<F>(Location::caller());
    real::spawn(move || account.run(func));
}

/// Starts a task that nobody awaits, in order with others of the same thread; like rayon's
/// `spawn_fifo`.
#[track_caller]
pub fn spawn_fifo<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    if mode() == Mode::Elision {
        return Pool::global().run_detached(func);
    }
    engine::prepare_spawn();
    let account = Account::detached::<F>(Location::caller());
    real::spawn_fifo(move || account.run(func));
}
