//! Parallel quicksort: a serial partition, then both sides in parallel.
//!
//! Cilkprof, Fig. 1 (random 64-bit numbers) and Fig. 11; Cilkview, Fig. 1. The partition is the
//! bottleneck: parallelism only grows with the logarithm of the input.

use std::process::ExitCode;

use workspan_examples::{insertion_sort, partition};
use workspan_suite::{random_numbers, size, timed, verdict, wrapping_sum};

const USAGE: &str = "usage: quicksort [COUNT]
  COUNT  how many random numbers to sort, 0 to 1000000000 [default: 20000000]";

/// Fewer numbers than these are sorted by insertion.
const COARSENING: usize = 32;

fn quicksort(numbers: &mut [u64]) {
    if numbers.len() < COARSENING {
        insertion_sort(numbers);
        return;
    }
    let middle = partition(numbers);
    let (low, high) = numbers.split_at_mut(middle);
    rayon::join(|| quicksort(low), || quicksort(high));
}

fn main() -> ExitCode {
    let count = size(USAGE, 20_000_000, 0..=1_000_000_000);
    let mut numbers = random_numbers(count, 1);
    let sum = wrapping_sum(&numbers);
    timed("quicksort", || quicksort(&mut numbers));
    verdict(numbers.is_sorted() && wrapping_sum(&numbers) == sum)
}
