//! `--burden`: what moving a task to another core costs.

use std::fmt;
use std::str::FromStr;

use anyhow::anyhow;
use workspan_counters::unit_of;
use workspan_model::{BurdenSource, CILKVIEW_BURDEN};

use super::metric::Metric;
use crate::exit_code::{Failure, USAGE};
use crate::machine_costs;

/// What is a burden.
const EXPECTED: &str =
    "a time such as `6.25us`, a count such as `20000cycles`, or `measured` is expected";

/// What the user said of the cost of one migration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Burden {
    /// Nothing: that of Cilkview.
    #[default]
    Cilkview,
    /// It is to be this one.
    Given(Migration),
    /// It is to be measured.
    Measured,
}

/// Cost of one migration, in the unit that the user thinks in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Migration {
    Cycles(u64),
    Nanos(u64),
    /// Events of the metric that is measured.
    Events(u64),
}

impl Burden {
    /// The cost in what is measured, and where it comes from. Measures it where nothing is known of this machine.
    ///
    /// # Errors
    /// When it cannot be measured, or is given in something else.
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
}

impl Burden {
    /// The same for a metric that counts events. Of most of them nobody knows what moving a task takes.
    fn resolve_in_events(self, metric: Metric<'_>) -> Result<(Migration, BurdenSource), Failure> {
        match self {
            Self::Cilkview if metric.is_of_execution() => {
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

/// As the engine reads it.
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
        const WRONG: &str = EXPECTED;
        if let Ok(events) = text.replace('_', "").parse() {
            return Ok(Self::Events(events));
        }
        let unit_at = text
            .find(|letter: char| !(letter.is_ascii_digit() || letter == '.' || letter == '_'))
            .ok_or(WRONG)?;
        let (number, unit) = text.split_at(unit_at);
        let number: f64 = number.replace('_', "").parse().map_err(|_| WRONG)?;
        let nanos = |factor: f64| Ok(Self::Nanos((number * factor).round() as u64));
        match unit.trim() {
            "cycles" | "cycle" => Ok(Self::Cycles(number.round() as u64)),
            "ns" => nanos(1.0),
            "us" | "µs" | "μs" => nanos(1e3),
            "ms" => nanos(1e6),
            "s" => nanos(1e9),
            _ => Err(WRONG),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_cycles_are_understood() {
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
    fn what_has_no_unit_or_no_number_is_refused() {
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
    fn the_engine_gets_whole_numbers() {
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
    fn a_burden_is_of_what_is_measured() {
        let usual = |metric| Burden::default().resolve(Metric(metric)).unwrap();
        let cilkview = (Migration::Events(15_000), BurdenSource::Cilkview);
        assert_eq!(usual("instructions"), cilkview);
        assert_eq!(usual("cpu-cycles"), cilkview);
        let unknown = (Migration::Events(0), BurdenSource::Unknown);
        assert_eq!(usual("page-faults"), unknown);
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
