//! What watches over a program while it is measured: chosen at the start, begun at the program's
//! first use of its runtime, since no thread can be started before `main`.

use std::sync::OnceLock;

static WATCH: OnceLock<fn()> = OnceLock::new();

/// Chooses what [`begin`] calls. The first choice in the process stays.
pub(crate) fn choose(watch: fn()) {
    let _ = WATCH.set(watch);
}

/// Calls what was chosen, if anything was: at each use of a runtime that may be the first. What was
/// chosen sees to it that the watch begins only once.
pub(crate) fn begin() {
    if let Some(watch) = WATCH.get() {
        watch();
    }
}
