//! What the work and the span of a profile are amounts of.

use serde::{Deserialize, Serialize};

/// What was measured of strands: time, or how often some event happened in them.
///
/// The amounts of a profile are [`Nanos`](crate::Nanos) of its metric, one an event where it counts events. What is a
/// time whatever was measured, says so where it is declared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// Its name, as `--metric` takes it: `time`, `instructions`, `page-faults`, `r20d1`.
    pub name: String,
    /// What several are called: `instructions`, `page faults`; `ns` of a metric that is a time.
    pub unit: String,
}

impl Metric {
    /// The unit of a metric that is a time.
    const NANOSECONDS: &str = "ns";

    /// Time, in nanoseconds.
    pub fn time() -> Self {
        Self {
            name: "time".to_owned(),
            unit: Self::NANOSECONDS.to_owned(),
        }
    }

    /// Whether amounts are times, in nanoseconds, and not counts.
    pub fn is_time(&self) -> bool {
        self.unit == Self::NANOSECONDS
    }

    /// What amounts are of, as a noun: `time`, `page faults`.
    pub fn noun(&self) -> &str {
        match self.is_time() {
            true => "time",
            false => &self.unit,
        }
    }

    /// Whether it is what is measured unless something else is asked for.
    pub fn is_default(&self) -> bool {
        *self == Self::time()
    }
}

impl Default for Metric {
    fn default() -> Self {
        Self::time()
    }
}
