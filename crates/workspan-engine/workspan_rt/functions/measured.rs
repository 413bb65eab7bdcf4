//! Which functions are measured.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::OnceLock;

/// Addresses of the functions, by number.
pub(super) static FUNCTIONS: OnceLock<Vec<usize>> = OnceLock::new();

/// Are functions measured that call hooks?
pub(super) static HAVE_HOOKS: AtomicBool = AtomicBool::new(false);

/// How many functions are measured by their sleds.
pub(crate) fn measured() -> usize {
    FUNCTIONS.get().map_or(0, Vec::len)
}

/// Are any functions measured?
pub(crate) fn are_measured() -> bool {
    measured() > 0 || HAVE_HOOKS.load(Ordering::Relaxed)
}
