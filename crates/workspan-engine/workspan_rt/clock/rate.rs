//! How long a tick is.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bits of an `f64`.
static TICKS_PER_NANO: AtomicU64 = AtomicU64::new(0);

/// The rate of the chosen clock; 0 while it is unknown.
pub(crate) fn ticks_per_nano() -> f64 {
    f64::from_bits(TICKS_PER_NANO.load(Ordering::Relaxed))
}

/// Sets the rate of the chosen clock; 0 if it is unknown.
pub(crate) fn set_ticks_per_nano(rate: f64) {
    TICKS_PER_NANO.store(rate.to_bits(), Ordering::Relaxed);
}

/// Whether the rate is known.
pub(crate) fn is_rate_known() -> bool {
    TICKS_PER_NANO.load(Ordering::Relaxed) != 0
}

pub(crate) fn nanos_to_ticks(nanos: i64) -> i64 {
    (nanos as f64 * ticks_per_nano()) as i64
}
