//! Parallel quicksort with a serial partition (Cilkprof, Fig. 1; Cilkview, Fig. 1).
//!
//! The two halves are sorted in parallel; the partition before them is serial. The work is 2 n
//! ln(n/32) comparisons and the base cases, about 25 n for 10 million numbers. The span S(n) is that
//! of the larger side and n: the larger side of a random split has 3n/4 numbers on average, so S(n)
//! is about 4 n, most of it in the first few partitions. The parallelism is therefore O(log n):
//! about 6 here, and 5.6 measured by Cilkprof (Fig. 2).
//!
//! What workspan should show:
//! - a parallelism of 5 to 8 for the `join` in `quicksort`, and little else for the whole program,
//!   which makes and checks the numbers in parallel;
//! - nearly all of the span as local to that `join`'s instances on the critical path, and to the
//!   serial code before the first of them: the strand before a `join` is `partition`;
//! - a burdened parallelism hardly below the parallelism: the critical path has some 40 levels, and
//!   the upper ones last milliseconds. Granularity is not the problem, `partition` is;
//! - some 700,000 spawns, with an average strand of half a microsecond: a tasking overhead of a few
//!   percent.
//!
//! The finding is WS001, too little parallelism; `quicksort_parallel_partition` is the cure.

use workspan_examples::{insertion_sort, partition, sort_random_numbers};

const USAGE: &str = "usage: quicksort [COUNT]
  COUNT  how many numbers to sort, 0 to 1000000000 [default: 10000000]";

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

fn main() {
    sort_random_numbers("quicksort", USAGE, quicksort);
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
    fn sorts_random_numbers_of_many_lengths() {
        for length in (0..200).chain([1_000, 50_000]) {
            check(random_numbers(length, length as u64));
        }
    }

    #[test]
    fn sorts_ordered_and_repeated_numbers() {
        check((0..5_000).collect());
        check((0..5_000).rev().collect());
        check(vec![7; 5_000]);
        check((0..5_000).map(|number| number % 3).collect());
    }
}
