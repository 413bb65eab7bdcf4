//! Parallel quicksort with a parallel partition: `quicksort` without its bottleneck.
//!
//! Long stretches are partitioned in parallel, in place: blocks of `BLOCK` numbers each by itself,
//! then the numbers left on the wrong side of the split are exchanged in pairs of stretches.
//! Stretches of at most `SERIAL_PARTITION` numbers are partitioned serially.
//!
//! The work stays n log n, with a second pass over the half of the numbers that are exchanged. A
//! parallel partition of n numbers has a span of one block and O(log n) for the forks, so the whole
//! has O(log² n) instead of O(n), plus the serial partitions of the last long stretch: a few
//! hundred microseconds against a second of work. In theory the parallelism is over a thousand;
//! rayon splits a `par_iter` by the number of threads that it is told, so a profile assuming 64
//! cores shows a few hundred.
//!
//! What workspan should show, against `quicksort`:
//! - a parallelism not of about 6 but in the hundreds for the `join`, and of about 70 for the whole
//!   program; the largest part of its span is now serial code, most of which returns 80 MB to the
//!   system at the end;
//! - hardly more work;
//! - the rest of the span spread over the two parallel loops of `partition_in_parallel` and the
//!   `join`: some ten partitions of two loops each are on the critical path;
//! - no finding.

use rayon::prelude::*;
use workspan_examples::{insertion_sort, partition, sort_random_numbers};

const USAGE: &str = "usage: quicksort_parallel_partition [COUNT]
  COUNT  how many numbers to sort, 0 to 1000000000 [default: 10000000]";

/// Fewer numbers than these are sorted by insertion.
const COARSENING: usize = 32;

/// At most this many numbers are partitioned serially.
const SERIAL_PARTITION: usize = 1 << 16;

/// How many numbers one task of a parallel partition takes.
const BLOCK: usize = 1 << 13;

fn quicksort(numbers: &mut [u64]) {
    if numbers.len() < COARSENING {
        insertion_sort(numbers);
        return;
    }
    let (low, high) = if numbers.len() <= SERIAL_PARTITION {
        let middle = partition(numbers);
        numbers.split_at_mut(middle)
    } else {
        let pivot = numbers[numbers.len() / 2];
        match partition_in_parallel(numbers, |number| number < pivot) {
            // The pivot is the least number: split off its copies, they are in place.
            0 => {
                let copies = partition_in_parallel(numbers, |number| number <= pivot);
                (&mut [][..], &mut numbers[copies..])
            }
            middle => numbers.split_at_mut(middle),
        }
    };
    rayon::join(|| quicksort(low), || quicksort(high));
}

/// Moves the numbers that are `low` before the others and returns their number.
fn partition_in_parallel(numbers: &mut [u64], low: impl Fn(u64) -> bool + Sync) -> usize {
    let low_in_block: Vec<usize> = numbers
        .par_chunks_mut(BLOCK)
        .map(|block| partition_block(block, &low))
        .collect();
    let middle = low_in_block.iter().sum();
    exchange(misplaced(numbers, middle, &low_in_block));
    middle
}

/// Moves the numbers that are `low` before the others and returns their number.
fn partition_block(numbers: &mut [u64], low: impl Fn(u64) -> bool) -> usize {
    let mut begin = 0;
    let mut end = numbers.len();
    loop {
        while begin < end && low(numbers[begin]) {
            begin += 1;
        }
        while begin < end && !low(numbers[end - 1]) {
            end -= 1;
        }
        if begin == end {
            return begin;
        }
        numbers.swap(begin, end - 1);
        begin += 1;
        end -= 1;
    }
}

/// The stretches to exchange: high numbers before `middle`, paired with as many low ones after it.
fn misplaced<'a>(
    numbers: &'a mut [u64],
    middle: usize,
    low_in_block: &[usize],
) -> Vec<(&'a mut [u64], &'a mut [u64])> {
    let mut high_before = Vec::new();
    let mut low_behind = Vec::new();
    let mut rest = numbers;
    let mut start = 0;
    for &low_count in low_in_block {
        let (block, behind) = rest.split_at_mut(BLOCK.min(rest.len()));
        rest = behind;
        let before_middle = middle.saturating_sub(start).min(block.len());
        start += block.len();
        if low_count < before_middle {
            high_before.push(&mut block[low_count..before_middle]);
        } else if before_middle < low_count {
            low_behind.push(&mut block[before_middle..low_count]);
        }
    }
    pair_up(high_before, low_behind)
}

/// Splits two lists of stretches of the same total length into pairs of equal length.
fn pair_up<'a>(
    left: Vec<&'a mut [u64]>,
    right: Vec<&'a mut [u64]>,
) -> Vec<(&'a mut [u64], &'a mut [u64])> {
    let mut pairs = Vec::with_capacity(left.len() + right.len());
    let mut right = right.into_iter();
    let mut rest: &mut [u64] = &mut [];
    for mut stretch in left {
        while !stretch.is_empty() {
            if rest.is_empty() {
                rest = right.next().expect("both lists have the same length");
            }
            let length = stretch.len().min(rest.len());
            let (a, a_rest) = stretch.split_at_mut(length);
            let (b, b_rest) = rest.split_at_mut(length);
            pairs.push((a, b));
            (stretch, rest) = (a_rest, b_rest);
        }
    }
    pairs
}

fn exchange(pairs: Vec<(&mut [u64], &mut [u64])>) {
    pairs
        .into_par_iter()
        .for_each(|(left, right)| left.swap_with_slice(right));
}

fn main() {
    sort_random_numbers("quicksort_parallel_partition", USAGE, quicksort);
}

#[cfg(test)]
mod tests {
    use super::*;
    use workspan_examples::random_numbers;

    fn check(mut numbers: Vec<u64>) {
        let mut expected = numbers.clone();
        expected.sort_unstable();
        quicksort(&mut numbers);
        assert_eq!(numbers, expected);
    }

    #[test]
    fn sorts_random_numbers_below_and_above_the_parallel_partition() {
        for length in [0, 1, 31, 32, 1_000, SERIAL_PARTITION, 1_000_000] {
            check(random_numbers(length, length as u64));
        }
    }

    #[test]
    fn sorts_ordered_and_repeated_numbers() {
        check((0..200_000).collect());
        check((0..200_000).rev().collect());
        check(vec![7; 200_000]);
        check((0..200_000).map(|number| number % 3).collect());
    }

    #[test]
    fn the_parallel_partition_separates() {
        for pivot in [0, 1 << 62, 1 << 63, u64::MAX] {
            let mut numbers = random_numbers(100_001, 3);
            let expected = numbers.iter().filter(|&&number| number < pivot).count();
            let middle = partition_in_parallel(&mut numbers, |number| number < pivot);
            assert_eq!(middle, expected);
            assert!(numbers[..middle].iter().all(|&number| number < pivot));
            assert!(numbers[middle..].iter().all(|&number| number >= pivot));
        }
    }
}
