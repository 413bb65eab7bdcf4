//! `--grain`: which subtrees to fold in the recorded task dag.

use std::str::FromStr;

use anyhow::anyhow;
use workspan_engine::counters::unit_of;

use super::burden::Migration;
use super::metric::Metric;
use crate::exit_code::{Failure, USAGE};

/// The smallest work of a subtree that is not folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grain {
    Nanos(u64),
    /// Events of the measured metric. 0 keeps every strand, whatever the metric.
    Events(u64),
}

impl Grain {
    /// The default for rare events: folds only subtrees without any.
    const DEFAULT_OF_RARE_EVENTS: u64 = 1;

    /// The default otherwise, in nanoseconds or events.
    const DEFAULT: u64 = 10_000;

    /// The grain in nanoseconds or events: `given`, or the default of the metric. 0 keeps every
    /// strand.
    ///
    /// # Errors
    /// If it was given in another unit than that of the metric.
    pub(super) fn resolve(given: Option<Self>, metric: Metric<'_>) -> Result<u64, Failure> {
        match given {
            None if metric.is_time() || metric.counts_execution() => Ok(Self::DEFAULT),
            None => Ok(Self::DEFAULT_OF_RARE_EVENTS),
            Some(Self::Nanos(nanos)) if metric.is_time() => Ok(nanos),
            Some(Self::Events(0)) => Ok(0),
            Some(Self::Events(events)) if !metric.is_time() => Ok(events),
            Some(Self::Nanos(_)) => {
                let unit = unit_of(metric.0);
                let error = anyhow!(
                    "--grain: with --metric {metric} it is a number of {unit}, or `0` for every strand"
                );
                Err(Failure::new(USAGE, error))
            }
            Some(Self::Events(_)) => Err(Failure::new(USAGE, anyhow!("--grain: {EXPECTED}"))),
        }
    }
}

const EXPECTED: &str = "a time such as `10us`, or `0` for every strand, is expected";

impl FromStr for Grain {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim().parse() {
            Ok(Migration::Nanos(nanos)) => Ok(Self::Nanos(nanos)),
            Ok(Migration::Events(events)) => Ok(Self::Events(events)),
            _ => Err(EXPECTED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(given: &str, metric: &str) -> Option<u64> {
        Grain::resolve(Some(given.parse().ok()?), Metric(metric)).ok()
    }

    #[test]
    fn grains_are_in_the_unit_of_the_metric() {
        assert_eq!(resolved("10us", "time"), Some(10_000));
        assert_eq!(resolved("1.5ms", "task-clock"), Some(1_500_000));
        assert_eq!(resolved("0", "time"), Some(0));
        assert_eq!(resolved("0ns", "time"), Some(0));
        assert_eq!(resolved("0", "page-faults"), Some(0));
        assert_eq!(resolved("500", "page-faults"), Some(500));
        for wrong in ["", "10", "10 cycles", "us", "-1us"] {
            assert_eq!(resolved(wrong, "time"), None, "{wrong}");
        }
        assert_eq!(resolved("10us", "instructions"), None);
    }

    #[test]
    fn all_rare_events_are_kept() {
        let default = |metric| Grain::resolve(None, Metric(metric)).ok();
        assert_eq!(default("time"), Some(10_000));
        assert_eq!(default("instructions"), Some(10_000));
        assert_eq!(default("page-faults"), Some(1));
    }
}
