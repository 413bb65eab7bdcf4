//! Where the process has code, so that return addresses can be told from other words.

use crate::raw;
use std::time::{Duration, Instant};

/// A program may load code while it runs: how often that is looked for, at most.
const AGE: Duration = Duration::from_secs(1);

/// The executable memory of the process.
#[derive(Default)]
pub(crate) struct Code {
    /// Starts and ends, in order. Empty: not known.
    ranges: Vec<(u64, u64)>,
    /// When they were read; without it, they are what they are.
    read: Option<Instant>,
}

impl Code {
    /// As the kernel tells it now.
    pub(crate) fn of_process() -> Self {
        let maps = raw::mappings();
        Self {
            ranges: maps.lines().filter_map(executable).collect(),
            read: Some(Instant::now()),
        }
    }

    /// Code in `ranges`, which are in order.
    #[cfg(test)]
    pub(crate) fn of(ranges: Vec<(u64, u64)>) -> Self {
        Self { ranges, read: None }
    }

    /// May this be the address of an instruction?
    pub(crate) fn contains(&self, address: u64) -> bool {
        if self.ranges.is_empty() {
            return true;
        }
        let after = self.ranges.partition_point(|(start, _)| *start <= address);
        after > 0 && address < self.ranges[after - 1].1
    }

    /// The range of code around an address.
    pub(crate) fn around(&self, address: u64) -> Option<(u64, u64)> {
        let found = self.ranges.iter();
        found
            .copied()
            .find(|(start, end)| (*start..*end).contains(&address))
    }

    /// Looks again, if that is long ago and `address` would be news.
    pub(crate) fn refresh_for(&mut self, address: u64) {
        let is_old = self.read.is_some_and(|read| read.elapsed() > AGE);
        if is_old && !self.contains(address) {
            *self = Self::of_process();
        }
    }
}

/// The executable range that a line of `/proc/self/maps` tells of: `55d0c0a00000-55d0c0b00000 r-xp 00001000 …`.
fn executable(line: &str) -> Option<(u64, u64)> {
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let address = |text| u64::from_str_radix(text, 16).ok();
    (rest.as_bytes().get(2) == Some(&b'x')).then_some((address(start)?, address(end)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_table_is_read() {
        let line = "55d0c0a00000-55d0c0b00000 r-xp 00001000 fd:00 123   /path";
        assert_eq!(executable(line), Some((0x55d0_c0a0_0000, 0x55d0_c0b0_0000)));
        assert_eq!(executable(&line.replace("r-xp", "rw-p")), None);
        assert_eq!(executable(""), None);
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    #[test]
    fn functions_are_code_and_variables_are_not() {
        let code = Code::of_process();
        let function = the_kernels_table_is_read as fn() as usize as u64;
        assert!(code.contains(function));
        assert!(!code.contains(std::ptr::from_ref(&code) as u64));
        assert!(!code.contains(0) && !code.contains(u64::MAX));
    }
}
