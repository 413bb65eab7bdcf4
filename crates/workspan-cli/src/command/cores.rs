//! `--cores`, `--threads`, `--copies`: numbers, and ranges of them.

use std::str::FromStr;

/// The most cores of a prediction, or threads of a run.
const MOST: u32 = 4096;

/// Numbers of cores, or what runs on one each, in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cores(Vec<u32>);

impl Cores {
    /// All up to `most`; of more than 16 the powers of two, and `most`.
    pub(super) fn up_to(most: u32) -> Self {
        if most <= 16 {
            return Self((1..=most.max(1)).collect());
        }
        let powers = std::iter::successors(Some(1), |number: &u32| number.checked_mul(2));
        let mut numbers: Vec<u32> = powers.take_while(|&number| number < most).collect();
        numbers.push(most);
        Self(numbers)
    }

    /// The same with 1 among them, and whether it was missing.
    pub(super) fn with_one(mut self) -> (Self, bool) {
        let is_missing = self.0.first() != Some(&1);
        if is_missing {
            self.0.insert(0, 1);
        }
        (self, is_missing)
    }

    /// Those above 1; the same if there are none.
    pub(super) fn above_one(&self) -> Self {
        let above = self.0.iter().copied().filter(|&number| number > 1);
        let above: Vec<u32> = above.collect();
        match above.is_empty() {
            true => self.clone(),
            false => Self(above),
        }
    }

    /// The largest that a machine of `cores` cores has cores for, or else the smallest.
    pub(super) fn with_cores(&self, cores: u32) -> u32 {
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
    fn numbers_and_ranges_are_in_ascending_order_once_each() {
        let numbers = |text: &str| text.parse::<Cores>().unwrap().0;
        assert_eq!(numbers("4"), [4]);
        assert_eq!(numbers("8,2,2..4"), [2, 3, 4, 8]);
        assert_eq!(numbers("1..=3, 7"), [1, 2, 3, 7]);
        assert_eq!(numbers("1..64").len(), 64);
    }

    #[test]
    fn a_large_machine_is_measured_at_powers_of_two() {
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
    fn a_profiled_run_has_as_many_threads_as_the_machine_has_cores_for() {
        let with = |text: &str, cores| text.parse::<Cores>().unwrap().with_cores(cores);
        assert_eq!(with("1,2,4,8", 6), 4);
        assert_eq!(with("1..4", 64), 4);
        assert_eq!(with("1,4", 2), 1);
        assert_eq!(with("4,8", 2), 4);
        let above_one = |text: &str| text.parse::<Cores>().unwrap().above_one().0;
        assert_eq!(above_one("1,4,8"), [4, 8]);
        assert_eq!(above_one("1"), [1]);
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
