//! Mergesort whose merge is also parallel.
//!
//! From the Cilk-5 distribution, which has it from Akl and Santoro; Cilkprof, Fig. 11
//! (10,000,000 elements). The quarters are sorted in parallel and merged in pairs; a merge splits
//! the longer side in the middle and searches for that element in the other one. The cutoff is that
//! of the distribution.

use std::process::ExitCode;

use workspan_examples::cilksort;
use workspan_suite::{random_numbers, size, timed, verdict, wrapping_sum};

const USAGE: &str = "usage: cilksort [COUNT]
  COUNT  how many random numbers to sort, 0 to 1000000000 [default: 20000000]";

/// Fewer numbers than these are sorted and merged serially.
const CUTOFF: usize = 2_048;

fn main() -> ExitCode {
    let count = size(USAGE, 20_000_000, 0..=1_000_000_000);
    let mut numbers = random_numbers(count, 1);
    let sum = wrapping_sum(&numbers);
    let mut room = vec![0; count];
    timed("cilksort", || {
        cilksort(&mut numbers, &mut room, CUTOFF, <[u64]>::sort_unstable);
    });
    verdict(numbers.is_sorted() && wrapping_sum(&numbers) == sum)
}
