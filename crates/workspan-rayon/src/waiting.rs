//! Calls in which a thread may run other tasks.

use rayon_core_real as real;
use real::Yield;
use workspan_rt::pause;

/// Runs another task, if there is one; as rayon's `yield_now`.
pub fn yield_now() -> Option<Yield> {
    // Outside a pool there is nothing to run.
    real::current_thread_index()?;
    pause(real::yield_now)
}

/// Runs another task of the thread's own queue, if there is one; as rayon's `yield_local`.
pub fn yield_local() -> Option<Yield> {
    real::current_thread_index()?;
    pause(real::yield_local)
}
