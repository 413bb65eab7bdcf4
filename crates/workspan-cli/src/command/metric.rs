//! `--metric`: what is measured of strands.

use std::fmt;
use std::time::Duration;

use anyhow::anyhow;
use workspan_counters::{Counter, Event, Linux, unit_of};

use crate::exit_code::{Failure, SETUP, USAGE};

/// What is measured unless another metric is asked for.
const TIME: &str = "time";

/// What an emulator counts.
const INSTRUCTIONS: &str = "instructions";

/// A counter that has had no place in the processor for so long gets none: the kernel has others take turns every 1 to 10 ms.
pub(super) const PLACE_LIMIT: Duration = Duration::from_millis(100);

/// The names that the user gave, or else what is measured without any.
///
/// # Errors
/// When one was given twice.
pub(super) fn names(given: &[String], emulate: bool) -> Result<Vec<&str>, Failure> {
    if given.is_empty() {
        return Ok(vec![if emulate { INSTRUCTIONS } else { TIME }]);
    }
    let mut names: Vec<&str> = Vec::new();
    for name in given {
        if names.contains(&name.as_str()) {
            let error = anyhow!("--metric: {name} is there twice; --runs repeats a measurement");
            return Err(Failure::new(USAGE, error));
        }
        names.push(name);
    }
    Ok(names)
}

/// A metric by its name, which need not be known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Metric<'a>(pub(super) &'a str);

impl Metric<'_> {
    /// Whether amounts are times.
    pub(super) fn is_time(self) -> bool {
        unit_of(self.0) == "ns"
    }

    /// Whether a clock measures it, and no counter of the kernel.
    pub(super) fn is_of_a_clock(self) -> bool {
        self.0 == TIME
    }

    /// Whether it counts what a processor runs: then Cilkview's burden is of it, or near to that.
    pub(super) fn is_of_execution(self) -> bool {
        ["instructions", "cycles"].contains(&unit_of(self.0).as_str())
    }

    /// Whether it is what an emulator counts.
    ///
    /// # Errors
    /// When it is not.
    pub(super) fn check_emulated(self) -> Result<(), Failure> {
        if self.0 == INSTRUCTIONS {
            return Ok(());
        }
        Err(Failure::new(
            USAGE,
            anyhow!(
                "--emulate counts instructions, and not {self}: leave one of the two out, or make two runs"
            ),
        ))
    }

    /// Whether it can be measured here: opens the counter that each thread of the program is to have.
    ///
    /// # Errors
    /// When there is no such event, or it cannot be counted; with what to do.
    pub(super) fn check(self) -> Result<(), Failure> {
        if self.is_of_a_clock() {
            return Ok(());
        }
        let event = Event::named(self.0)
            .map_err(|problem| Failure::new(USAGE, anyhow!("--metric: {problem}")))?;
        Counter::open(&event, Linux)
            .and_then(|counter| counter.await_place(&event, PLACE_LIMIT))
            .map_err(|problem| Failure::new(SETUP, anyhow!("--metric: {problem}")))
    }
}

impl fmt::Display for Metric<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }
}
