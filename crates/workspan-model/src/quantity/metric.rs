//! What the work and the span of a profile measure.

use serde::{Deserialize, Serialize};

/// What was measured in strands: time, or occurrences of some event.
///
/// The amounts of a profile are [`Nanos`](crate::Nanos) of its metric: one per event if it counts
/// events. Amounts that are times whatever the metric say so at their declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// Its name, as passed to `--metric`: `time`, `instructions`, `page-faults`, `r20d1`.
    pub name: String,
    /// The name of its unit: `instructions`, `page faults`; `ns` if the metric is a time.
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

    /// Whether amounts are times in nanoseconds rather than counts.
    pub fn is_time(&self) -> bool {
        self.unit == Self::NANOSECONDS
    }

    /// What amounts measure, as a noun: `time`, `page faults`.
    pub fn noun(&self) -> &str {
        if self.is_time() { "time" } else { &self.unit }
    }

    /// Whether this is the metric that is measured by default.
    pub fn is_default(&self) -> bool {
        *self == Self::time()
    }
}

impl Default for Metric {
    fn default() -> Self {
        Self::time()
    }
}
