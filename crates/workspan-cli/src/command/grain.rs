//! `--grain`: what is folded in the record of the task dag.

use std::str::FromStr;

use anyhow::anyhow;
use workspan_counters::unit_of;

use super::burden::Migration;
use super::metric::Metric;
use crate::exit_code::{Failure, USAGE};

/// The least work of a subtree that is kept whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grain {
    Nanos(u64),
    /// Events of the metric that is measured; 0: everything is kept, whatever is measured.
    Events(u64),
}

impl Grain {
    /// Nothing is worth folding of what happens seldom, but what is nothing at all.
    const LEAST: u64 = 1;

    /// What is folded unless the user says otherwise, in nanoseconds or events.
    const USUAL: u64 = 10_000;

    /// That of `given`, or what is usual of the metric, in nanoseconds or events; 0: everything is kept.
    ///
    /// # Errors
    /// When it is given in something else than what is measured.
    pub(super) fn resolve(given: Option<Self>, metric: Metric<'_>) -> Result<u64, Failure> {
        match given {
            None if metric.is_time() || metric.is_of_execution() => Ok(Self::USUAL),
            None => Ok(Self::LEAST),
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
    fn grains_are_of_what_is_measured() {
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
    fn rare_events_are_all_kept() {
        let usual = |metric| Grain::resolve(None, Metric(metric)).ok();
        assert_eq!(usual("time"), Some(10_000));
        assert_eq!(usual("instructions"), Some(10_000));
        assert_eq!(usual("page-faults"), Some(1));
    }
}
