//! `--grain`: what is folded in the record of the task dag.

use std::fmt;
use std::str::FromStr;

use super::burden::Migration;

/// The least work of a subtree that is kept whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grain {
    nanos: u64,
}

impl Grain {
    /// In nanoseconds; 0: everything is kept.
    pub(super) const fn nanos(self) -> u64 {
        self.nanos
    }
}

impl Default for Grain {
    fn default() -> Self {
        Self { nanos: 10_000 }
    }
}

impl fmt::Display for Grain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nanos {
            0 => formatter.write_str("0"),
            nanos if nanos % 1_000 == 0 => write!(formatter, "{}us", nanos / 1_000),
            nanos => write!(formatter, "{nanos}ns"),
        }
    }
}

impl FromStr for Grain {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match (text.trim(), text.parse()) {
            ("0", _) => Ok(Self { nanos: 0 }),
            (_, Ok(Migration::Nanos(nanos))) => Ok(Self { nanos }),
            _ => Err("a time such as `10us`, or `0` for every strand, is expected"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Grain;

    #[test]
    fn grains_are_times() {
        let nanos = |text: &str| text.parse().map(Grain::nanos);
        assert_eq!(nanos("10us"), Ok(10_000));
        assert_eq!(nanos("1.5ms"), Ok(1_500_000));
        assert_eq!(nanos("0"), Ok(0));
        assert_eq!(nanos("0ns"), Ok(0));
        for wrong in ["", "10", "10 cycles", "us", "-1us"] {
            assert!(nanos(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_grain_reads_as_it_is_shown() {
        for nanos in [0, 7, 10_000, 1_500] {
            let grain = Grain { nanos };
            assert_eq!(grain.to_string().parse(), Ok(grain));
        }
    }
}
