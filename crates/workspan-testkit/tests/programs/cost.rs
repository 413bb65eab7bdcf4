//! The cost of the engine's boundaries under the virtual clock. The program spends it in the
//! strands that end there.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use workspan_rt::clock;
use workspan_rt::session::VirtualCost;
use workspan_testkit::Random;

use super::thief;

static BOUNDARY: AtomicI64 = AtomicI64::new(0);
static SPAWN: AtomicI64 = AtomicI64::new(0);
/// The seed of the next cost; 0 if costs are fixed.
static SEED: AtomicU64 = AtomicU64::new(0);

/// Sets what boundaries cost from now on, besides readings of the clock: always the same, or drawn
/// for each, from nothing to twice as much, and the same draws each time that this is called.
pub fn set(cost: VirtualCost, is_drawn: bool) {
    BOUNDARY.store(cost.boundary, Ordering::Relaxed);
    SPAWN.store(cost.spawn, Ordering::Relaxed);
    SEED.store(is_drawn.into(), Ordering::Relaxed);
}

/// Whether boundaries cost anything.
pub fn is_any() -> bool {
    BOUNDARY.load(Ordering::Relaxed) != 0
}

fn spend(mean: &AtomicI64) {
    let mut cost = mean.load(Ordering::Relaxed);
    if cost > 0 && SEED.load(Ordering::Relaxed) > 0 {
        let mut random = Random::new(SEED.fetch_add(1, Ordering::Relaxed));
        cost = random.below(2 * cost as usize + 1) as i64;
    }
    clock::advance(cost);
}

/// To be called before each boundary except a spawn.
pub fn before_boundary() {
    spend(&BOUNDARY);
}

/// To be called before a spawn.
pub fn before_spawn() {
    spend(&SPAWN);
}

/// The body of a task. Spends the cost of a boundary at its end, even if it unwinds.
pub struct Body(());

impl Body {
    pub fn begin() -> Self {
        thief::begin_body();
        Self(())
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        before_boundary();
        thief::end_body();
    }
}
