//! Calls in which a thread may run other tasks, and calls about the calling thread.

use rayon_core_real as real;
use real::Yield;
use workspan_rt::{mode, pause, Mode};

/// Runs another task, if there is one; like rayon's `yield_now`.
pub fn yield_now() -> Option<Yield> {
    if mode() == Mode::Elision {
        return Some(Yield::Idle);
    }
    // Outside a pool there is nothing to run.
    real::current_thread_index()?;
    pause(real::yield_now)
}

/// Runs another task of the thread's own queue, if there is one; like rayon's `yield_local`.
pub fn yield_local() -> Option<Yield> {
    if mode() == Mode::Elision {
        return Some(Yield::Idle);
    }
    real::current_thread_index()?;
    pause(real::yield_local)
}

/// Index of the calling thread in its pool; like rayon's.
pub fn current_thread_index() -> Option<usize> {
    match mode() {
        Mode::Elision => Some(0),
        _ => real::current_thread_index(),
    }
}

/// Whether the calling thread has tasks in its queue; like rayon's.
pub fn current_thread_has_pending_tasks() -> Option<bool> {
    match mode() {
        Mode::Elision => Some(false),
        _ => real::current_thread_has_pending_tasks(),
    }
}

/// See [`workspan_rt::idle::HasTasks`].
pub(crate) fn has_tasks() -> bool {
    real::current_thread_has_pending_tasks() == Some(true)
}
