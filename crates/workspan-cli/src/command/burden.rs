//! `--burden`: what moving a task to another core costs.

use std::fmt;
use std::str::FromStr;

/// Cost of one migration, in the unit that the user thinks in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Burden {
    Cycles(u64),
    Nanos(u64),
}

impl Default for Burden {
    /// Cilkview §3: 15,000 cycles.
    fn default() -> Self {
        Self::Cycles(15_000)
    }
}

/// As the engine reads it.
impl fmt::Display for Burden {
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
        const WRONG: &str = "a time such as `6.25us` or a count such as `20000cycles` is expected";
        let text = text.trim();
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
        assert_eq!("6.25us".parse(), Ok(Burden::Nanos(6250)));
        assert_eq!("20_000 cycles".parse(), Ok(Burden::Cycles(20_000)));
        assert_eq!("1ms".parse(), Ok(Burden::Nanos(1_000_000)));
        assert_eq!("0ns".parse(), Ok(Burden::Nanos(0)));
    }

    #[test]
    fn what_has_no_unit_or_no_number_is_refused() {
        for wrong in ["", "15000", "us", "6,25us", "1.2.3us", "-1us", "5 minutes"] {
            assert!(wrong.parse::<Burden>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_engine_gets_whole_numbers() {
        assert_eq!(Burden::default().to_string(), "15000cycles");
        assert_eq!("6.25us".parse::<Burden>().unwrap().to_string(), "6250ns");
    }
}
