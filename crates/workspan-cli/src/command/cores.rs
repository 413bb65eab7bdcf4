//! The lists of `--cores`, `--threads` and `--copies`.

use std::str::FromStr;

/// The largest number of cores of a prediction, or of threads of a run.
const MOST: u32 = 4096;

/// Distinct numbers of cores, threads or copies, in ascending order. There is at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cores(Vec<u32>);

impl Cores {
    /// All numbers up to `most`. If that is more than 16, only the powers of two, and `most`.
    pub(super) fn up_to(most: u32) -> Self {
        if most <= 16 {
            return Self((1..=most.max(1)).collect());
        }
        let powers = std::iter::successors(Some(1), |number: &u32| number.checked_mul(2));
        let mut numbers: Vec<u32> = powers.take_while(|&number| number < most).collect();
        numbers.push(most);
        Self(numbers)
    }

    /// Adds 1 if it is missing, and returns whether it was.
    pub(super) fn with_one(mut self) -> (Self, bool) {
        let is_missing = self.0.first() != Some(&1);
        if is_missing {
            self.0.insert(0, 1);
        }
        (self, is_missing)
    }

    /// The numbers above 1, or all if none is.
    pub(super) fn above_one(&self) -> Self {
        let above = self.0.iter().copied().filter(|&number| number > 1);
        let above: Vec<u32> = above.collect();
        if above.is_empty() {
            self.clone()
        } else {
            Self(above)
        }
    }

    /// The largest number that is not more than `cores`, or else the smallest.
    pub(super) fn largest_within(&self, cores: u32) -> u32 {
        let mut descending = self.0.iter().rev();
        let largest = descending.find(|&&number| number <= cores);
        *largest.unwrap_or(&self.0[0])
    }

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
        Ok(_) => Err(format!("numbers from 1 to {MOST} are expected")),
        Err(_) => Err("numbers such as `1..64` or `2,4,8` are expected".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_without_duplicates() {
        let numbers = |text: &str| text.parse::<Cores>().unwrap().0;
        assert_eq!(numbers("4"), [4]);
        assert_eq!(numbers("8,2,2..4"), [2, 3, 4, 8]);
        assert_eq!(numbers("1..=3, 7"), [1, 2, 3, 7]);
        assert_eq!(numbers("1..64").len(), 64);
    }

    #[test]
    fn many_cores_are_measured_at_powers_of_two() {
        let up_to = |most| Cores::up_to(most).0;
        assert_eq!(up_to(0), [1]);
        assert_eq!(up_to(3), [1, 2, 3]);
        assert_eq!(up_to(24), [1, 2, 4, 8, 16, 24]);
        assert_eq!(up_to(32), [1, 2, 4, 8, 16, 32]);
        let with_one = |text: &str| text.parse::<Cores>().unwrap().with_one();
        assert_eq!(with_one("2,4"), (Cores(vec![1, 2, 4]), true));
        assert_eq!(with_one("1,4"), (Cores(vec![1, 4]), false));
    }

    #[test]
    fn a_profiled_run_has_at_most_as_many_threads_as_cores_if_possible() {
        let largest = |text: &str, cores| text.parse::<Cores>().unwrap().largest_within(cores);
        assert_eq!(largest("1,2,4,8", 6), 4);
        assert_eq!(largest("1..4", 64), 4);
        assert_eq!(largest("1,4", 2), 1);
        assert_eq!(largest("4,8", 2), 4);
        let above_one = |text: &str| text.parse::<Cores>().unwrap().above_one().0;
        assert_eq!(above_one("1,4,8"), [4, 8]);
        assert_eq!(above_one("1"), [1]);
    }

    #[test]
    fn malformed_lists_are_refused() {
        for wrong in [
            "", "0", "1..", "..4", "4..2", "1,,2", "-1", "1.5", "many", "5000",
        ] {
            assert!(wrong.parse::<Cores>().is_err(), "{wrong}");
        }
    }
}
