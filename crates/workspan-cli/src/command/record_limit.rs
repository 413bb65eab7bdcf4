//! `--record-limit`: the largest size of the recorded task dag.

/// The units of sizes, largest first.
const UNITS: [(&str, u64); 4] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
];

/// Parses a size, in bytes.
pub(super) fn parse(text: &str) -> Result<u64, &'static str> {
    let text = text.trim();
    UNITS
        .iter()
        .filter_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))
        .find_map(|(number, unit)| number.trim().parse::<u64>().ok()?.checked_mul(*unit))
        .ok_or("a size such as `256MiB` or `2GiB` is expected")
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn sizes_are_parsed() {
        assert_eq!(parse("256MiB"), Ok(256 << 20));
        assert_eq!(parse("2 GiB"), Ok(2 << 30));
        assert_eq!(parse("1KiB"), Ok(1 << 10));
        assert_eq!(parse("100B"), Ok(100));
        for wrong in ["", "10", "MiB", "-1MiB", "1.5GiB", "99999999999GiB"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
