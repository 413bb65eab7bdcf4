//! The cost of the engine's boundaries under the virtual clock, and what the machine takes. The
//! program spends both in its strands.

use std::ops::Range;
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

/// Ticks until the machine interrupts the program next.
static UNTIL: AtomicI64 = AtomicI64::new(i64::MAX);
/// The seed of the next interruption.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Mean time between two interruptions, and how long they last: as those of the kernel and of a
/// hypervisor that leave no trace.
const BETWEEN: usize = 2_000_000;
const INTERRUPTIONS: Range<usize> = 5_000..50_000;

/// From now on, the machine interrupts the program at random times, the same each time that this is
/// called, or does not.
pub fn interrupt(does: bool) {
    NUMBER.store(1, Ordering::Relaxed);
    UNTIL.store(i64::MAX, Ordering::Relaxed);
    if does {
        draw_interruption();
    }
}

/// Draws how long the next interruption takes, and when the one after it comes.
fn draw_interruption() -> i64 {
    let mut random = Random::new(NUMBER.fetch_add(1, Ordering::Relaxed));
    UNTIL.store(random.below(2 * BETWEEN) as i64, Ordering::Relaxed);
    let Range { start, end } = INTERRUPTIONS;
    (start + random.below(end - start)) as i64
}

/// Passes `ticks`, and those of an interruption that comes in this time.
pub fn pass(ticks: i64) {
    clock::advance(ticks);
    if UNTIL.fetch_sub(ticks, Ordering::Relaxed) < ticks {
        clock::advance(draw_interruption());
    }
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
    pass(cost);
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
