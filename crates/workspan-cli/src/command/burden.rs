//! `--burden`: the cost of moving a task to another core.

use std::fmt;
use std::str::FromStr;

use anyhow::anyhow;
use workspan_engine::counters::unit_of;
use workspan_model::{BurdenSource, CILKVIEW_BURDEN};

use super::metric::Metric;
use crate::exit_code::{Failure, USAGE};
use crate::machine_costs;

/// The message about a malformed burden.
const EXPECTED: &str =
    "a time such as `6.25us`, a count such as `20000cycles`, or `measured` is expected";

/// The user's choice of the cost of one migration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Burden {
    /// The cost that Cilkview assumes.
    #[default]
    Cilkview,
    Given(Migration),
    /// The cost measured on this machine.
    Measured,
}

/// The cost of one migration, in the unit that the user gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Migration {
    Cycles(u64),
    Nanos(u64),
    /// Events of the measured metric.
    Events(u64),
}

impl Burden {
    /// The cost in the unit of the metric, and its source. [`Burden::Measured`] measures it now if
    /// no costs of this machine are kept.
    ///
    /// # Errors
    /// If it cannot be measured, or was given in the wrong unit.
    pub(super) fn resolve(self, metric: Metric<'_>) -> Result<(Migration, BurdenSource), Failure> {
        if !metric.is_time() {
            return self.resolve_in_events(metric);
        }
        Ok(match self {
            Self::Given(Migration::Events(_)) => {
                let error = anyhow!("--burden: of a time, {EXPECTED}");
                return Err(Failure::new(USAGE, error));
            }
            Self::Cilkview => (Migration::Cycles(CILKVIEW_BURDEN), BurdenSource::Cilkview),
            Self::Given(migration) => (migration, BurdenSource::Given),
            Self::Measured => {
                let costs = machine_costs::known()?;
                let migration = Migration::Nanos(costs.migration().shown());
                (migration, BurdenSource::Measured(costs))
            }
        })
    }

    /// [`Burden::resolve`] for a metric that counts events. For most metrics the default cost is
    /// unknown, and 0.
    fn resolve_in_events(self, metric: Metric<'_>) -> Result<(Migration, BurdenSource), Failure> {
        match self {
            Self::Cilkview if metric.counts_execution() => {
                Ok((Migration::Events(CILKVIEW_BURDEN), BurdenSource::Cilkview))
            }
            Self::Cilkview => Ok((Migration::Events(0), BurdenSource::Unknown)),
            Self::Given(Migration::Events(events)) => {
                Ok((Migration::Events(events), BurdenSource::Given))
            }
            Self::Given(Migration::Cycles(cycles)) if unit_of(metric.0) == "cycles" => {
                Ok((Migration::Events(cycles), BurdenSource::Given))
            }
            Self::Given(_) | Self::Measured => {
                let unit = unit_of(metric.0);
                let error = anyhow!(
                    "--burden: with --metric {metric} moving a task takes so many {unit}; a number such as `--burden 15000` \
                     is expected"
                );
                Err(Failure::new(USAGE, error))
            }
        }
    }
}

/// In the form that the engine parses.
impl fmt::Display for Migration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cycles(count) => write!(formatter, "{count}cycles"),
            Self::Nanos(count) => write!(formatter, "{count}ns"),
            Self::Events(count) => write!(formatter, "{count}"),
        }
    }
}

impl FromStr for Burden {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "measured" => Ok(Self::Measured),
            text => text.parse().map(Self::Given),
        }
    }
}

impl FromStr for Migration {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(events) = text.replace('_', "").parse() {
            return Ok(Self::Events(events));
        }
        let unit_at = text
            .find(|letter: char| !(letter.is_ascii_digit() || letter == '.' || letter == '_'))
            .ok_or(EXPECTED)?;
        let (number, unit) = text.split_at(unit_at);
        let number: f64 = number.replace('_', "").parse().map_err(|_| EXPECTED)?;
        let nanos = |factor: f64| Ok(Self::Nanos((number * factor).round() as u64));
        match unit.trim() {
            "cycles" | "cycle" => Ok(Self::Cycles(number.round() as u64)),
            "ns" => nanos(1.0),
            "us" | "µs" | "μs" => nanos(1e3),
            "ms" => nanos(1e6),
            "s" => nanos(1e9),
            _ => Err(EXPECTED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_cycles_and_events_are_parsed() {
        let given = |text: &str| match text.parse() {
            Ok(Burden::Given(migration)) => migration,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(given("6.25us"), Migration::Nanos(6250));
        assert_eq!(given("20_000 cycles"), Migration::Cycles(20_000));
        assert_eq!(given("1ms"), Migration::Nanos(1_000_000));
        assert_eq!(given("0ns"), Migration::Nanos(0));
        assert_eq!(given("15_000"), Migration::Events(15_000));
        assert_eq!("measured".parse(), Ok(Burden::Measured));
    }

    #[test]
    fn malformed_burdens_are_refused() {
        for wrong in [
            "",
            "us",
            "6,25us",
            "1.2.3us",
            "-1us",
            "5 minutes",
            "measure",
        ] {
            assert!(wrong.parse::<Burden>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn burdens_for_the_engine_are_whole_numbers() {
        let (cilkview, source) = Burden::default().resolve(Metric("time")).unwrap();
        assert_eq!(cilkview.to_string(), "15000cycles");
        assert_eq!(source, BurdenSource::Cilkview);
        let (given, source) = resolved("6.25us", "time").unwrap();
        assert_eq!(given.to_string(), "6250ns");
        assert_eq!(source, BurdenSource::Given);
    }

    fn resolved(given: &str, metric: &str) -> Option<(Migration, BurdenSource)> {
        given.parse::<Burden>().ok()?.resolve(Metric(metric)).ok()
    }

    #[test]
    fn a_burden_is_in_the_unit_of_the_metric() {
        let default = |metric| Burden::default().resolve(Metric(metric)).unwrap();
        let cilkview = (Migration::Events(15_000), BurdenSource::Cilkview);
        assert_eq!(default("instructions"), cilkview);
        assert_eq!(default("cpu-cycles"), cilkview);
        let unknown = (Migration::Events(0), BurdenSource::Unknown);
        assert_eq!(default("page-faults"), unknown);
        let given = |events| Some((Migration::Events(events), BurdenSource::Given));
        assert_eq!(resolved("9000", "instructions"), given(9_000));
        assert_eq!(resolved("9000cycles", "cycles"), given(9_000));
        for (burden, metric) in [
            ("9000", "time"),
            ("6us", "instructions"),
            ("9000cycles", "instructions"),
            ("measured", "page-faults"),
        ] {
            assert_eq!(resolved(burden, metric), None, "{burden} {metric}");
        }
    }
}
