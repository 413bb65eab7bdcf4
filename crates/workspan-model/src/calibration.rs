//! Costs measured on the machine before the run.

use serde::{Deserialize, Serialize};

use crate::Nanos;

/// The average cost of one operation, possibly fractional: in nanoseconds, or in events of the
/// profile's metric.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cost(f64);

impl Cost {
    /// No cost.
    pub const FREE: Self = Self(0.0);

    /// A cost of `nanos` nanoseconds; a negative number or NaN counts as free.
    pub fn from_nanos(nanos: f64) -> Self {
        Self(nanos.max(0.0))
    }

    /// The nanoseconds of one operation.
    pub const fn as_nanos(self) -> f64 {
        self.0
    }

    /// The time of `count` operations.
    pub fn times(self, count: u64) -> Nanos {
        Nanos::from_nanos_f64(self.0 * count as f64)
    }
}

/// Costs measured on the machine before the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// One reading of the clock.
    pub clock_read: Cost,
    /// Rayon's own cost of one `join`, without instrumentation.
    pub join: Cost,
    /// The cost subtracted at each boundary of a `join`.
    pub join_boundary: Cost,
    /// Rayon's own cost of one spawned task, without instrumentation.
    pub spawn: Cost,
    /// The cost subtracted at each boundary of a spawned task.
    pub spawn_boundary: Cost,
    /// Rayon's own cost of one `scope`, without instrumentation.
    pub scope: Cost,
}
