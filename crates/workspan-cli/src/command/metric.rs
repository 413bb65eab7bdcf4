//! `--metric`: what is measured of strands.

use std::fmt;

use anyhow::anyhow;
use workspan_counters::{Counter, Event, Linux, unit_of};

use crate::exit_code::{Failure, SETUP, USAGE};

/// What the option takes.
pub(super) const TIME: &str = "time";

/// What an emulator counts.
const INSTRUCTIONS: &str = "instructions";

/// A metric by its name, which need not be known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Metric<'a>(pub(super) &'a str);

impl Metric<'_> {
    /// Whether amounts are times.
    pub(super) fn is_time(self) -> bool {
        unit_of(self.0) == "ns"
    }

    /// Whether it counts what a processor runs: then Cilkview's burden is of it, or near to that.
    pub(super) fn is_of_execution(self) -> bool {
        ["instructions", "cycles"].contains(&unit_of(self.0).as_str())
    }

    /// What `--emulate` measures, unless another metric was asked for.
    ///
    /// # Errors
    /// When one was.
    pub(super) fn emulated(self) -> Result<Self, Failure> {
        if [TIME, INSTRUCTIONS].contains(&self.0) {
            return Ok(Metric(INSTRUCTIONS));
        }
        Err(Failure::new(
            USAGE,
            anyhow!("--emulate counts instructions, and not {self}: leave one of the two out"),
        ))
    }

    /// Whether it can be measured here: opens the counter that each thread of the program is to have.
    ///
    /// # Errors
    /// When there is no such event, or it cannot be counted; with what to do.
    pub(super) fn check(self) -> Result<(), Failure> {
        if self.0 == TIME {
            return Ok(());
        }
        let event = Event::named(self.0)
            .map_err(|problem| Failure::new(USAGE, anyhow!("--metric: {problem}")))?;
        Counter::open(&event, Linux)
            .map(drop)
            .map_err(|problem| Failure::new(SETUP, anyhow!("--metric: {problem}")))
    }
}

impl fmt::Display for Metric<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }
}
