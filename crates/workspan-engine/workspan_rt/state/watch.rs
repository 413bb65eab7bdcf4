//! What watches over a program while it is measured: chosen at the start, begun at the program's
//! first use of its runtime, since no thread can be started before `main`.

use std::sync::OnceLock;

static WATCH: OnceLock<fn()> = OnceLock::new();

/// Chooses what [`watch_once`] calls, once per process.
pub(crate) fn choose(watch: fn()) {
    let _ = WATCH.set(watch);
}

/// Begins to watch the program, the first time that it is called while something is measured by a
/// real clock.
pub(crate) fn watch_once() {
    if let Some(watch) = WATCH.get() {
        watch();
    }
}
