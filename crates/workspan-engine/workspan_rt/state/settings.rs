//! What every thread needs of the session.

use crate::clock::Clock;
use crate::state::event_costs::Costs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What every thread needs of the session at every boundary, in ticks. Each keeps a copy, and looks
/// again when the epoch has changed.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) clock: Clock,
    /// The burden of a stealable edge.
    pub(crate) burden: i64,
    /// [`CHECK_AFTER_NANOS`](crate::system::presence::CHECK_AFTER_NANOS) in ticks; `i64::MAX`:
    /// strands are never checked.
    pub(crate) check_after: i64,
    /// What the engine itself spends in a strand that ends at a boundary other than a spawn.
    pub(crate) boundary_cost: i64,
    /// The same where functions are measured, so that constructs seldom follow each other directly.
    pub(crate) ordinary_cost: i64,
    /// What the engine itself spends in a strand that ends at a spawn.
    pub(crate) spawn_cost: i64,
    /// What it spends at a boundary without a reading of the clock.
    pub(crate) unread_cost: i64,
    /// What it spends beyond that in a fork without readings of the clock that leads to another
    /// node.
    pub(crate) crossing_cost: i64,
    /// What is taken off strands at the events of other runtimes; `None`: unknown.
    pub(crate) event_costs: Option<Costs>,
    /// What the engine itself spends at the entry or the exit of a function.
    pub(crate) function_cost: i64,
    /// Branches that are expected to take less than this may be timed as a whole
    /// ([`crate::path::stretch`]); 0: none is.
    pub(crate) grain: i64,
    /// How many forks of a node are measured before any is not.
    pub(crate) measured_forks: i32,
    /// The length up to which a single measurement says little; 0 if all are taken as they are.
    pub(crate) unsure: i64,
    /// How many instances of each region's node are kept.
    pub(crate) instances: u64,
    /// The work below which subtrees are folded in the record, 0: none are; `None` if there is no
    /// record.
    pub(crate) record_grain: Option<i64>,
    /// After how many ticks a thread's record is written at the latest.
    pub(crate) record_every: i64,
}

impl Settings {
    pub(crate) const NONE: Self = Self {
        clock: Clock::Monotonic,
        burden: 0,
        check_after: i64::MAX,
        boundary_cost: 0,
        ordinary_cost: 0,
        spawn_cost: 0,
        unread_cost: 0,
        crossing_cost: 0,
        event_costs: None,
        function_cost: 0,
        grain: 0,
        measured_forks: 0,
        unsure: 0,
        instances: 0,
        record_grain: None,
        record_every: i64::MAX,
    };
}

impl Default for Settings {
    fn default() -> Self {
        Self::NONE
    }
}

static SETTINGS: Mutex<Settings> = Mutex::new(Settings::NONE);

static EPOCH: AtomicU64 = AtomicU64::new(0);

pub(crate) fn settings() -> Settings {
    *lock()
}

/// The settings, locked.
pub(crate) fn lock() -> MutexGuard<'static, Settings> {
    SETTINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Changes the settings. Threads pick up the change at their next construct.
pub(crate) fn change_settings(change: impl FnOnce(&mut Settings)) {
    change(&mut lock());
    next_epoch();
}

#[inline(always)]
pub(crate) fn epoch() -> u64 {
    EPOCH.load(Ordering::Relaxed)
}

/// Makes every thread forget the edges of the call tree that it keeps.
fn next_epoch() {
    EPOCH.fetch_add(1, Ordering::Relaxed);
}

/// Sets what the entry and the exit of a function cost, from which the pair's cost is known.
pub(crate) fn set_function_cost(pair: f64) {
    change_settings(|settings| settings.function_cost = (pair / 2.0) as i64);
}

/// Stops all threads from recording.
pub(crate) fn record_no_more() {
    change_settings(|settings| settings.record_grain = None);
}

/// Doubles the work below which threads fold. A record of everything stays one.
pub(crate) fn record_coarser() {
    change_settings(|settings| {
        settings.record_grain = settings.record_grain.map(|grain| grain.saturating_mul(2));
    });
}
