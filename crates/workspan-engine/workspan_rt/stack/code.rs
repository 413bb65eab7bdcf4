//! Where the process has code, so that return addresses can be distinguished from other words.

use crate::system::mappings::mappings;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often to look for code that the program has loaded while running, at most.
const AGE: Duration = Duration::from_secs(1);
/// How many tables are made, at most: none is ever freed, since a signal handler may read it.
const MOST: usize = 1_000;

/// The executable memory of the process that may also be read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Code<'a> {
    /// Starts and ends, in order. Empty: unknown.
    ranges: &'a [(usize, usize)],
}

static TABLE: AtomicPtr<Vec<(usize, usize)>> = AtomicPtr::new(ptr::null_mut());
/// When the kernel was last asked, and how many tables were made.
static LOOKS: Mutex<(Option<Instant>, usize)> = Mutex::new((None, 0));

impl Code<'static> {
    /// The code as last found. May be called in a signal handler.
    #[inline]
    pub(crate) fn of_process() -> Self {
        // SAFETY: null, or a table that was complete before it was stored here (Release) and is
        // never freed.
        let table = unsafe { TABLE.load(Ordering::Acquire).as_ref() };
        Self {
            ranges: table.map_or(&[], |ranges| ranges),
        }
    }

    /// Asks the kernel, unless it was asked less than [`AGE`] ago. Not for signal handlers.
    pub(crate) fn look() {
        // Whoever is looking now looks for all.
        let Ok(mut looks) = LOOKS.try_lock() else {
            return;
        };
        let is_new = looks.0.is_some_and(|last| last.elapsed() < AGE);
        if is_new || looks.1 == MOST {
            return;
        }
        looks.0 = Some(Instant::now());
        let ranges: Vec<_> = mappings().lines().filter_map(executable).collect();
        if Self::of_process().ranges != ranges {
            looks.1 += 1;
            // Release: whoever sees the table sees what is in it.
            TABLE.store(Box::into_raw(Box::new(ranges)), Ordering::Release);
        }
    }
}

impl<'a> Code<'a> {
    /// Code in `ranges`, which are in order.
    #[cfg(test)]
    pub(crate) fn of(ranges: &'a [(usize, usize)]) -> Self {
        Self { ranges }
    }

    /// Whether it is unknown where code is.
    pub(crate) fn is_unknown(self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether `address` is that of an instruction.
    #[inline]
    pub(crate) fn contains(self, address: usize) -> bool {
        let (Some(first), Some(last)) = (self.ranges.first(), self.ranges.last()) else {
            return false;
        };
        if address < first.0 || address >= last.1 {
            return false;
        }
        let after = self.ranges.partition_point(|(start, _)| *start <= address);
        after > 0 && address < self.ranges[after - 1].1
    }
}

/// The range of a line of `/proc/self/maps` that is executable and may be read, such as
/// `55d0c0a00000-55d0c0b00000 r-xp 00001000 …`.
fn executable(line: &str) -> Option<(usize, usize)> {
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    let rights = rest.as_bytes();
    (rights.first() == Some(&b'r') && rights.get(2) == Some(&b'x'))
        .then_some((address(start)?, address(end)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn the_kernels_table_is_read() {
        let line = "55d0c0a00000-55d0c0b00000 r-xp 00001000 fd:00 123   /path";
        assert_eq!(executable(line), Some((0x55d0_c0a0_0000, 0x55d0_c0b0_0000)));
        for rights in ["rw-p", "--xp"] {
            assert_eq!(executable(&line.replace("r-xp", rights)), None);
        }
        assert_eq!(executable(""), None);
    }

    #[test]
    fn an_address_is_in_one_range_or_in_none() {
        let code = Code::of(&[(100, 200), (300, 400)]);
        let found = [0, 99, 100, 199, 200, 299, 300, 399, 400, usize::MAX]
            .map(|address| code.contains(address));
        let (yes, no) = (true, false);
        assert_eq!(found, [no, no, yes, yes, no, no, yes, yes, no, no]);
        assert!(!Code::of(&[]).contains(0));
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    #[test]
    fn functions_are_code_and_variables_are_not() {
        Code::look();
        let code = Code::of_process();
        let function = executable as fn(&str) -> Option<(usize, usize)> as usize;
        assert!(code.contains(function));
        assert!(!code.contains(ptr::from_ref(&code) as usize));
        assert!(!code.contains(0) && !code.contains(usize::MAX));
    }
}
