//! The cost of the engine's boundaries under the virtual clock. The program spends it in the
//! strands that end there.

use std::sync::atomic::{AtomicI64, Ordering};

use workspan_rt::clock;
use workspan_rt::session::VirtualCost;

static BOUNDARY: AtomicI64 = AtomicI64::new(0);
static SPAWN: AtomicI64 = AtomicI64::new(0);

/// Sets what boundaries cost from now on, besides readings of the clock.
pub fn set(cost: VirtualCost) {
    BOUNDARY.store(cost.boundary, Ordering::Relaxed);
    SPAWN.store(cost.spawn, Ordering::Relaxed);
}

/// Whether boundaries cost anything.
pub fn is_any() -> bool {
    BOUNDARY.load(Ordering::Relaxed) != 0
}

/// To be called before each boundary except a spawn.
pub fn before_boundary() {
    clock::advance(BOUNDARY.load(Ordering::Relaxed));
}

/// To be called before a spawn.
pub fn before_spawn() {
    clock::advance(SPAWN.load(Ordering::Relaxed));
}

/// Spends the cost of a boundary at the end of a task, even if the task unwinds.
pub struct AtBoundary;

impl Drop for AtBoundary {
    fn drop(&mut self) {
        before_boundary();
    }
}
