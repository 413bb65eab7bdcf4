//! A limit as the user writes it.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use workspan_model::{Quantity, ThresholdLimit};

/// A limit as the user writes it. Its meaning depends on the figure that it is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Limit {
    /// Relative to a baseline, as a share of it: `+5%`.
    Growth(f64),
    /// In nanoseconds: `12ms`.
    Time(f64),
    /// A plain number: `20`, `1_000_000`.
    Number(f64),
}

const WRONG: &str = "a limit such as `+5%` of the baseline, `12ms` or `20` is expected";

impl FromStr for Limit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let number = |text: &str| {
            let digits = text.trim().replace('_', "");
            let is_plain =
                |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '+' | '-');
            let number = digits.chars().all(is_plain).then(|| digits.parse::<f64>());
            number
                .and_then(Result::ok)
                .filter(|number| number.is_finite())
        };
        if let Some(percent) = text.strip_suffix('%') {
            if !percent.starts_with(['+', '-']) {
                return Err(
                    "a percentage needs a sign: `+5%` is 5% more than the baseline, `-5%` less",
                );
            }
            return number(percent)
                .map(|percent| Self::Growth(percent / 100.0))
                .ok_or(WRONG);
        }
        if text.starts_with(['+', '-']) {
            return Err(
                "a limit with a sign is relative to the baseline and a percentage, such as `+5%`; one by itself has no sign",
            );
        }
        let at_most = |amount: f64| (amount >= 0.0).then_some(amount);
        let units = [
            ("ns", 1.0),
            ("us", 1e3),
            ("µs", 1e3),
            ("μs", 1e3),
            ("ms", 1e6),
            ("s", 1e9),
        ];
        let time = units.iter().find_map(|(unit, nanos)| {
            Some(number(text.strip_suffix(unit)?).and_then(at_most)? * nanos)
        });
        let limit = time
            .map(Self::Time)
            .or_else(|| number(text).and_then(at_most).map(Self::Number));
        limit.ok_or(WRONG)
    }
}

impl Limit {
    /// The limit for `quantity`. `is_time`: whether amounts are times.
    ///
    /// # Errors
    /// If the unit does not suit the quantity.
    pub(super) fn for_quantity(
        self,
        quantity: Quantity,
        is_time: bool,
    ) -> Result<ThresholdLimit, &'static str> {
        match (self, quantity.is_amount()) {
            (Self::Growth(growth), _) => Ok(ThresholdLimit::Growth(growth)),
            (Self::Time(nanos), true) if is_time => Ok(ThresholdLimit::At(nanos)),
            (Self::Number(count), true) if !is_time => Ok(ThresholdLimit::At(count)),
            (Self::Number(number), false) => Ok(ThresholdLimit::At(number)),
            (Self::Number(_), true) => {
                Err("the profile is of time: give the limit a unit, such as `12ms`")
            }
            (Self::Time(_), true) => {
                Err("the profile is of counts, not of time: give a plain number")
            }
            (Self::Time(_), false) => Err("this is no time: give a plain number, such as `20`"),
        }
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LimitVisitor;

        impl Visitor<'_> for LimitVisitor {
            type Value = Limit;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a limit such as \"+5%\", \"12ms\" or 20")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Limit, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Limit, E> {
                self.visit_f64(number as f64)
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Limit, E> {
                self.visit_f64(number as f64)
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Limit, E> {
                if number >= 0.0 && number.is_finite() {
                    Ok(Limit::Number(number))
                } else {
                    Err(E::custom(WRONG))
                }
            }
        }

        deserializer.deserialize_any(LimitVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_shares_times_and_numbers() {
        let cases = [
            ("+5%", Limit::Growth(0.05)),
            ("-12.5%", Limit::Growth(-0.125)),
            ("12ms", Limit::Time(12e6)),
            ("1.5 s", Limit::Time(1.5e9)),
            ("7us", Limit::Time(7e3)),
            ("20", Limit::Number(20.0)),
            ("1_000_000", Limit::Number(1e6)),
        ];
        for (text, limit) in cases {
            assert_eq!(text.parse(), Ok(limit), "{text}");
        }
        for wrong in [
            "",
            "5%",
            "ms",
            "-3ms",
            "-20",
            "+100",
            "+2ms",
            "inf",
            "NaN",
            "+inf%",
            "12 parsecs",
            "1e3%%",
        ] {
            assert!(wrong.parse::<Limit>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn units_must_suit_the_figure() {
        let time = Limit::Time(5.0);
        assert_eq!(
            time.for_quantity(Quantity::Span, true),
            Ok(ThresholdLimit::At(5.0))
        );
        assert!(time.for_quantity(Quantity::Span, false).is_err());
        assert!(time.for_quantity(Quantity::Parallelism, true).is_err());
        let number = Limit::Number(20.0);
        assert!(number.for_quantity(Quantity::Work, true).is_err());
        for (quantity, is_time) in [(Quantity::Work, false), (Quantity::Tasks, true)] {
            assert_eq!(
                number.for_quantity(quantity, is_time),
                Ok(ThresholdLimit::At(20.0))
            );
        }
    }
}
