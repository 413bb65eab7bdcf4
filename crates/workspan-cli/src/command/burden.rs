//! `--burden`: what moving a task to another core costs.

use std::fmt;
use std::str::FromStr;

use workspan_model::{BurdenSource, CILKVIEW_BURDEN_CYCLES};

use crate::exit_code::Failure;
use crate::machine_costs;

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
}

impl Burden {
    /// The cost, and where it comes from. Measures it where nothing is known of this machine.
    pub(super) fn resolve(self) -> Result<(Migration, BurdenSource), Failure> {
        Ok(match self {
            Self::Cilkview => (
                Migration::Cycles(CILKVIEW_BURDEN_CYCLES),
                BurdenSource::Cilkview,
            ),
            Self::Given(migration) => (migration, BurdenSource::Given),
            Self::Measured => {
                let costs = machine_costs::known()?;
                let migration = Migration::Nanos(costs.migration().shown());
                (migration, BurdenSource::Measured(costs))
            }
        })
    }
}

/// As the engine reads it.
impl fmt::Display for Migration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cycles(count) => write!(formatter, "{count}cycles"),
            Self::Nanos(count) => write!(formatter, "{count}ns"),
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
        const WRONG: &str =
            "a time such as `6.25us`, a count such as `20000cycles`, or `measured` is expected";
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
        assert_eq!("measured".parse(), Ok(Burden::Measured));
    }

    #[test]
    fn what_has_no_unit_or_no_number_is_refused() {
        for wrong in [
            "",
            "15000",
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
        let (cilkview, source) = Burden::default().resolve().unwrap();
        assert_eq!(cilkview.to_string(), "15000cycles");
        assert_eq!(source, BurdenSource::Cilkview);
        let (given, source) = "6.25us".parse::<Burden>().unwrap().resolve().unwrap();
        assert_eq!(given.to_string(), "6250ns");
        assert_eq!(source, BurdenSource::Given);
    }
}
