//! Random numbers that are the same in each run: the seeds of hash tables, whose order and collisions decide how many
//! instructions a program takes.

use crate::memory;
use std::cell::Cell;
use std::ffi::c_uint;

/// `getrandom(buffer, length, flags)` on x86-64.
pub(crate) const NUMBER: i64 = 318;

thread_local! {
    /// The buffer of the call that the thread is in. An emulated thread is one of the emulator's.
    static BUFFER: Cell<u64> = const { Cell::new(0) };
    /// How many words the thread has got.
    static WORDS: Cell<u64> = const { Cell::new(0) };
}

/// A thread asks for random numbers at `buffer`.
pub(crate) fn remember(buffer: u64) {
    BUFFER.set(buffer);
}

/// The kernel has given `result` bytes: puts others in their place, which depend on the thread and on how many it had before.
pub(crate) fn replace(thread: c_uint, result: i64) {
    let count = usize::try_from(result).unwrap_or(0);
    let words = (0..count.div_ceil(8)).map(|_| {
        let word = WORDS.replace(WORDS.get() + 1);
        mixed(u64::from(thread) << 40 | word)
    });
    let bytes: Vec<u8> = words.flat_map(u64::to_ne_bytes).take(count).collect();
    memory::write(BUFFER.get(), &bytes);
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
fn mixed(index: u64) -> u64 {
    let mut z = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
