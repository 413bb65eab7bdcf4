//! `--record-limit`: how large the record of the task dag may get.

use std::fmt;
use std::str::FromStr;

/// How many bytes the record may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordLimit {
    bytes: u64,
}

/// The units in which it is told, large ones first.
const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

impl RecordLimit {
    pub(super) const fn bytes(self) -> u64 {
        self.bytes
    }
}

impl Default for RecordLimit {
    fn default() -> Self {
        Self { bytes: 256 << 20 }
    }
}

impl fmt::Display for RecordLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |(_, unit): &&(&str, u64)| self.bytes.is_multiple_of(*unit);
        match UNITS.iter().find(whole) {
            Some((name, unit)) => write!(formatter, "{}{name}", self.bytes / unit),
            None => write!(formatter, "{}B", self.bytes),
        }
    }
}

impl FromStr for RecordLimit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let units = UNITS.iter().chain(&[("B", 1)]);
        let bytes = units
            .filter_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))
            .find_map(|(number, unit)| number.trim().parse::<u64>().ok()?.checked_mul(*unit));
        match bytes {
            Some(bytes) => Ok(Self { bytes }),
            None => Err("a size such as `256MiB` or `2GiB` is expected"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RecordLimit;

    #[test]
    fn limits_are_sizes() {
        let bytes = |text: &str| text.parse().map(RecordLimit::bytes);
        assert_eq!(bytes("256MiB"), Ok(256 << 20));
        assert_eq!(bytes("2 GiB"), Ok(2 << 30));
        assert_eq!(bytes("100B"), Ok(100));
        for wrong in ["", "10", "MiB", "-1MiB", "1.5GiB", "99999999999GiB"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_limit_reads_as_it_is_shown() {
        for bytes in [7, 1 << 10, 256 << 20, 3 << 30] {
            let limit = RecordLimit { bytes };
            assert_eq!(limit.to_string().parse(), Ok(limit));
        }
    }
}
