//! `--cores`: numbers of cores, and ranges of them.

use std::str::FromStr;

/// The most cores of a prediction.
const MOST: u32 = 4096;

/// Numbers of cores, in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cores(Vec<u32>);

impl Cores {
    pub(super) fn numbers(&self) -> &[u32] {
        &self.0
    }
}

impl FromStr for Cores {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut numbers = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once("..").unwrap_or((part, part));
            let last = last.strip_prefix('=').unwrap_or(last);
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(format!(
                    "`{part}` has no numbers: its first is above its last"
                ));
            }
            numbers.extend(first..=last);
        }
        numbers.sort_unstable();
        numbers.dedup();
        Ok(Self(numbers))
    }
}

fn number(text: &str) -> Result<u32, String> {
    match text.trim().parse() {
        Ok(number) if (1..=MOST).contains(&number) => Ok(number),
        Ok(_) => Err(format!("from 1 to {MOST} cores can be simulated")),
        Err(_) => Err("numbers such as `1..64` or `2,4,8` are expected".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges_are_in_ascending_order_once_each() {
        let numbers = |text: &str| text.parse::<Cores>().unwrap().0;
        assert_eq!(numbers("4"), [4]);
        assert_eq!(numbers("8,2,2..4"), [2, 3, 4, 8]);
        assert_eq!(numbers("1..=3, 7"), [1, 2, 3, 7]);
        assert_eq!(numbers("1..64").len(), 64);
    }

    #[test]
    fn what_is_no_number_of_cores_is_refused() {
        for wrong in [
            "", "0", "1..", "..4", "4..2", "1,,2", "-1", "1.5", "many", "5000",
        ] {
            assert!(wrong.parse::<Cores>().is_err(), "{wrong}");
        }
    }
}
