//! Prepares the engine and the pools.

use crate::builder::ThreadPoolBuilder;
use crate::calibration::calibrate;
use crate::membership::{has_global, is_outside, tell_idle_of_global};
use rayon_core_real as real;
use workspan_rt::{mode, Mode};

/// Call before a parallel call that may go to the global pool, while a profile may be taken.
#[inline(always)]
pub(crate) fn prepare() {
    if is_outside() {
        prepare_outside();
    }
}

/// Call before a call that may give tasks to the global pool.
pub(crate) fn prepare_spawn() {
    match mode() {
        Mode::Profile => prepare(),
        Mode::Idle => prepare_idle(),
        Mode::Plain | Mode::Elision => {}
    }
}

/// Reports the global pool if idle time is measured. Call before a call from outside goes to it.
pub(crate) fn prepare_idle() {
    if real::current_thread_index().is_none() {
        prepare();
        tell_idle_of_global();
    }
}

#[cold]
#[inline(never)]
fn prepare_outside() {
    if matches!(mode(), Mode::Profile | Mode::Idle) {
        calibrate();
        if !has_global() {
            // Fails only if another thread did it first. The wait for the threads to start is
            // nobody's work.
            let _ = workspan_rt::pause(|| ThreadPoolBuilder::new().build_global());
        }
    }
}
