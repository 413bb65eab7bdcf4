//! `--metric`: what to measure for each strand.

use std::fmt;
use std::time::Duration;

use anyhow::anyhow;
use workspan_engine::counters::{Counter, Event, Linux, unit_of};

use crate::exit_code::{Failure, SETUP, USAGE};

/// The default metric.
const TIME: &str = "time";

/// The metric that an emulator counts.
const INSTRUCTIONS: &str = "instructions";

/// How long to wait for a counter to get a place in the processor. The kernel rotates counters
/// every 1 to 10 ms, so one without a place for this long gets none.
pub(super) const PLACE_LIMIT: Duration = Duration::from_millis(100);

/// The metrics that the user named, or else the default one.
///
/// # Errors
/// If one is named twice.
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

/// A metric by its name. There need not be a metric of this name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Metric<'a>(pub(super) &'a str);

impl Metric<'_> {
    /// Whether amounts of it are times.
    pub(super) fn is_time(self) -> bool {
        unit_of(self.0) == "ns"
    }

    /// Whether a clock measures it, rather than a counter of the kernel.
    pub(super) fn is_measured_by_clock(self) -> bool {
        self.0 == TIME
    }

    /// Whether it counts instructions or cycles. Cilkview's burden is a number of instructions, and
    /// stands for as many cycles.
    pub(super) fn counts_execution(self) -> bool {
        ["instructions", "cycles"].contains(&unit_of(self.0).as_str())
    }

    /// Checks that an emulator can count it.
    ///
    /// # Errors
    /// If it cannot.
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

    /// Checks that it can be measured on this machine, by opening a counter like those of the
    /// program's threads.
    ///
    /// # Errors
    /// If there is no such event, or it cannot be counted. The error says what to do.
    pub(super) fn check(self) -> Result<(), Failure> {
        if self.is_measured_by_clock() {
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
