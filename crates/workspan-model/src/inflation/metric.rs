//! The comparison of the runs by one metric.

use super::{Compared, ProgramInflation};

/// The comparison by one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricInflation {
    /// The metric.
    pub metric: String,
    /// The whole program.
    pub program: ProgramInflation,
    /// The rows, in descending order of what their inflation costs of the expected time.
    pub rows: Vec<Compared>,
    /// How many of the rows are compared: that many intervals all hold at once, with 95%
    /// confidence.
    pub comparisons: usize,
    /// The least number of rounds that this takes.
    pub rounds_needed: u32,
    /// The number of its runs whose counts are estimates.
    pub estimates: usize,
}

impl MetricInflation {
    /// Whether it is a time, so that inflation is lost time.
    pub fn is_time(&self) -> bool {
        self.per_nano().is_some()
    }

    /// About how many of its units make a nanosecond; `None` if it is not a time.
    pub(super) fn per_nano(&self) -> Option<f64> {
        per_nano(&self.metric)
    }
}

/// About how many cycles a processor runs in a nanosecond.
const CYCLES_PER_NANO: f64 = 3.0;

/// How many of the units that a metric counts make a nanosecond; `None` if they do not take time by
/// themselves.
fn per_nano(metric: &str) -> Option<f64> {
    // Ignore the suffix for the processor modes in which it counts.
    match metric.split(':').next().unwrap_or_default() {
        "time" | "task-clock" | "cpu-clock" => Some(1.0),
        "cycles" | "cpu-cycles" | "ref-cycles" => Some(CYCLES_PER_NANO),
        _ => None,
    }
}
