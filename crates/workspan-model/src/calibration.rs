//! Costs measured on the machine before the run.

use serde::{Deserialize, Serialize};

use crate::Nanos;

/// Average cost of one operation, in nanoseconds, or events of the profile's metric, and fractions of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cost(f64);

impl Cost {
    /// No cost.
    pub const FREE: Self = Self(0.0);

    /// A cost of `nanos` nanoseconds; negative and not-a-number count as free.
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
    /// Rayon's own cost of one `join`, not instrumented.
    pub join: Cost,
    /// Taken off for each boundary of a `join`.
    pub join_boundary: Cost,
    /// Rayon's own cost of one spawned task, not instrumented.
    pub spawn: Cost,
    /// Taken off for each boundary of a spawned task.
    pub spawn_boundary: Cost,
    /// Rayon's own cost of one `scope`, not instrumented.
    pub scope: Cost,
}
