//! Which process is measured.

use std::sync::atomic::{AtomicU32, Ordering};

static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Remembers which process is measured.
pub(crate) fn note_process() {
    PROCESS.store(std::process::id(), Ordering::Relaxed);
}

/// The process that is measured.
pub(crate) fn process() -> u32 {
    PROCESS.load(Ordering::Relaxed)
}

/// Whether this is the process that the session belongs to, and not a child of a fork. May be
/// called in a signal handler.
pub fn is_ours() -> bool {
    process() == std::process::id()
}
