//! What strands are measured in.

use crate::clock::counters::unit_of;
use std::fmt;

/// What the ticks of a session's clock are: time, or how often some event happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name, as the user gave it: `time`, `instructions`, `page-faults`, `r20d1`.
    pub name: String,
    /// The plural name of its events, such as `page faults`; `ns` for time.
    pub unit: String,
}

/// As the engine's files spell it.
impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.name, self.unit)
    }
}

impl Default for Metric {
    fn default() -> Self {
        Self::time()
    }
}

impl Metric {
    /// Time.
    pub fn time() -> Self {
        Self::of_name("time")
    }

    /// The metric called `name`, which need not be known.
    pub fn of_name(name: &str) -> Self {
        let unit = unit_of(name);
        let name = name.to_owned();
        Self { name, unit }
    }

    /// Whether it is time, which is measured unless another metric is asked for.
    pub fn is_time(&self) -> bool {
        self.name == "time"
    }
}
