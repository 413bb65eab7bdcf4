//! Mergesort whose merge is parallel too.
//!
//! From the Cilk-5 distribution, which has it from Akl and Santoro; Cilkprof, Fig. 11
//! (10,000,000 elements). The quarters are sorted in parallel and merged in pairs; a merge splits
//! the longer side in the middle and looks for that element in the other one. Cutoffs are those
//! of the distribution.

use std::process::ExitCode;

use workspan_suite::{random_numbers, size, timed, verdict, wrapping_sum};

const USAGE: &str = "usage: cilksort [COUNT]
  COUNT  how many random numbers to sort, 0 to 1000000000 [default: 20000000]";

/// Fewer numbers than these are sorted serially.
const SORT_SERIALLY: usize = 2_048;

/// Fewer numbers than these are merged serially.
const MERGE_SERIALLY: usize = 2_048;

/// Sorts `numbers`, with as much room to work in.
fn cilksort(numbers: &mut [u64], room: &mut [u64]) {
    if numbers.len() < SORT_SERIALLY {
        numbers.sort_unstable();
        return;
    }
    let half = numbers.len() / 2;
    let quarter = half / 2;
    {
        let (left, right) = numbers.split_at_mut(half);
        let (a, b) = left.split_at_mut(quarter);
        let (c, d) = right.split_at_mut(quarter);
        let (room_left, room_right) = room.split_at_mut(half);
        let (room_a, room_b) = room_left.split_at_mut(quarter);
        let (room_c, room_d) = room_right.split_at_mut(quarter);
        rayon::join(
            || rayon::join(|| cilksort(a, room_a), || cilksort(b, room_b)),
            || rayon::join(|| cilksort(c, room_c), || cilksort(d, room_d)),
        );
        rayon::join(|| merge(a, b, room_left), || merge(c, d, room_right));
    }
    let (left, right) = room.split_at(half);
    merge(left, right, numbers);
}

/// Merges two sorted slices into a third, which is as long as both.
fn merge(a: &[u64], b: &[u64], merged: &mut [u64]) {
    if merged.len() < MERGE_SERIALLY {
        return merge_serially(a, b, merged);
    }
    let (longer, shorter) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let middle = longer.len() / 2;
    let cut = shorter.partition_point(|&number| number < longer[middle]);
    let (low, high) = merged.split_at_mut(middle + cut);
    rayon::join(
        || merge(&longer[..middle], &shorter[..cut], low),
        || merge(&longer[middle..], &shorter[cut..], high),
    );
}

fn merge_serially<'a>(mut a: &'a [u64], mut b: &'a [u64], merged: &mut [u64]) {
    for place in merged {
        let from_a = b.is_empty() || (!a.is_empty() && a[0] <= b[0]);
        let source = if from_a { &mut a } else { &mut b };
        *place = source[0];
        *source = &source[1..];
    }
}

fn main() -> ExitCode {
    let count = size(USAGE, 20_000_000, 0..=1_000_000_000);
    let mut numbers = random_numbers(count, 1);
    let sum = wrapping_sum(&numbers);
    let mut room = vec![0; count];
    timed("cilksort", || cilksort(&mut numbers, &mut room));
    verdict(numbers.is_sorted() && wrapping_sum(&numbers) == sum)
}
