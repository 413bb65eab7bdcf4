//! Which thread a sample found at a cache line before: whether an atomic instruction is waited for.
//!
//! An atomic instruction on a cache line that no other thread writes takes some 20 cycles; one on a
//! line that others write takes hundreds. Samples fall on both. But of the former, each sample at
//! the line is of the thread that the one before was of, while of the latter, with P threads, P − 1
//! of P are of another.
//!
//! A table remembers for each line the last sample's word and thread. It has few places, and a line
//! that shares its place with another one is forgotten: then nothing is known of its next sample,
//! nor is it of its first. So of atomics that are spread over many lines most samples say nothing.
//!
//! # Why the handler may do what it does
//!
//! It swaps one atomic in static memory. Handlers of several threads may do so at once; in which
//! order does not matter, and nothing else is concluded from it, so relaxed operations suffice.

use crate::thread::samples::line_use::LineUse;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bits of an address that tell bytes of a line apart.
const LINE: u32 = 6;
/// Bits of the number of a place in the table.
const PLACES: u32 = 7;
/// Bits of an address; above them, a place has the thread.
const ADDRESS: u32 = 48;
/// Spreads the bits of a number, of which the upper ones are used: the golden ratio's fraction
/// (Knuth, *The Art of Computer Programming*, volume 3, section 6.4).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

pub(super) static LINES: Lines = Lines([const { AtomicU64::new(0) }; 1 << PLACES]);

pub(super) struct Lines([AtomicU64; 1 << PLACES]);

impl Lines {
    /// Forgets all.
    pub(super) fn begin(&self) {
        for place in &self.0 {
            place.store(0, Ordering::Relaxed);
        }
    }

    /// A sample of a thread, whose data are at `thread`, at an atomic instruction on the word at
    /// `address`.
    pub(super) fn sample(&self, thread: usize, address: usize) -> LineUse {
        let [thread, address] = [thread as u64, address as u64];
        let upper = |number: u64, bits: u32| number.wrapping_mul(SPREAD) >> (u64::BITS - bits);
        let thread = upper(thread, u64::BITS - ADDRESS);
        let address = address & ((1 << ADDRESS) - 1);
        let line = address >> LINE;
        let place = &self.0[upper(line, PLACES) as usize];
        let before = place.swap(thread << ADDRESS | address, Ordering::Relaxed);
        let before_address = before & ((1 << ADDRESS) - 1);
        if before_address >> LINE != line {
            LineUse::Unknown
        } else if before >> ADDRESS == thread {
            LineUse::Own
        } else if before_address == address {
            LineUse::Shared
        } else {
            LineUse::Apart
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_several_threads_show_what_they_share() {
        let lines = Lines([const { AtomicU64::new(0) }; 1 << PLACES]);
        let (one, other) = (0x7f00_1000, 0x7f00_9000);
        let word = 0x5500_0040;
        for (thread, address, expected) in [
            (one, word, LineUse::Unknown),
            (one, word, LineUse::Own),
            (one, word + 8, LineUse::Own),
            (other, word, LineUse::Apart),
            (one, word, LineUse::Shared),
            (one, word + 64, LineUse::Unknown),
            (other, word + 63, LineUse::Apart),
        ] {
            assert_eq!(lines.sample(thread, address), expected, "{address:x}");
        }
        lines.begin();
        assert_eq!(lines.sample(one, word), LineUse::Unknown);
    }

    #[test]
    fn a_line_is_forgotten_where_another_takes_its_place() {
        let lines = Lines([const { AtomicU64::new(0) }; 1 << PLACES]);
        let forgets = |other: &usize| {
            lines.begin();
            lines.sample(1, 1 << LINE);
            lines.sample(1, other << LINE);
            lines.sample(1, 1 << LINE) == LineUse::Unknown
        };
        let others = (2..1_000 * (1 << PLACES)).filter(forgets).count();
        assert!((500..2_000).contains(&others), "{others}");
    }
}
