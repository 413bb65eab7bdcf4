//! The serial steps of a quicksort, and a program around one.

use std::time::Instant;

use rayon::prelude::*;

use crate::{Arguments, random_numbers};

/// Hoare's partition around the middle element: afterwards no number before the returned index is
/// greater than one from it on, and both sides have at least one number.
///
/// # Panics
/// If there are fewer than two numbers.
// Not inlined, so that a profile of functions distinguishes it from its caller.
#[inline(never)]
pub fn partition(numbers: &mut [u64]) -> usize {
    assert!(numbers.len() >= 2, "nothing to partition");
    let pivot = numbers[(numbers.len() - 1) / 2];
    let mut low = 0;
    let mut high = numbers.len() - 1;
    loop {
        while numbers[low] < pivot {
            low += 1;
        }
        while numbers[high] > pivot {
            high -= 1;
        }
        if low >= high {
            return high + 1;
        }
        numbers.swap(low, high);
        low += 1;
        high -= 1;
    }
}

/// Sorts a few numbers.
pub fn insertion_sort(numbers: &mut [u64]) {
    for end in 1..numbers.len() {
        let number = numbers[end];
        let mut place = end;
        while place > 0 && numbers[place - 1] > number {
            numbers[place] = numbers[place - 1];
            place -= 1;
        }
        numbers[place] = number;
    }
}

/// A whole sorting program: makes as many random numbers as the first argument says, 10 million by
/// default, sorts them, checks the result and prints how long the sort took.
///
/// # Panics
/// If `sort` did not sort them.
pub fn sort_random_numbers(name: &str, usage: &'static str, sort: impl FnOnce(&mut [u64])) {
    let count = Arguments::read_from_process(usage, |arguments| {
        arguments.number("COUNT", 10_000_000, 0..=1_000_000_000)
    });
    let mut numbers = random_numbers(count, 1);
    let before = checksum(&numbers);
    let started = Instant::now();
    sort(&mut numbers);
    let elapsed = started.elapsed();
    assert!(
        numbers.par_windows(2).all(|pair| pair[0] <= pair[1]),
        "the numbers are out of order"
    );
    assert_eq!(checksum(&numbers), before, "numbers were lost");
    println!(
        "{name}: {count} numbers sorted in {:.3} s",
        elapsed.as_secs_f64()
    );
}

/// A sum over the numbers that does not depend on their order.
fn checksum(numbers: &[u64]) -> u64 {
    numbers
        .par_iter()
        .map(|number| number.wrapping_mul(number ^ (number >> 32)))
        .reduce(|| 0, u64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partition_separates_and_leaves_no_side_empty() {
        let inputs = [
            vec![1, 2],
            vec![2, 1],
            vec![4; 9],
            (0..50).collect(),
            (0..50).rev().collect(),
            random_numbers(1_001, 3),
        ];
        for mut numbers in inputs {
            let middle = partition(&mut numbers);
            let (low, high) = numbers.split_at(middle);
            assert!(low.iter().max().unwrap() <= high.iter().min().unwrap());
        }
    }

    #[test]
    fn insertion_sort_sorts() {
        for length in 0..40 {
            let mut numbers = random_numbers(length, length as u64);
            let mut expected = numbers.clone();
            expected.sort_unstable();
            insertion_sort(&mut numbers);
            assert_eq!(numbers, expected);
        }
    }

    #[test]
    fn the_checksum_sees_a_lost_number_and_no_order() {
        let numbers = random_numbers(1_000, 9);
        let mut reversed = numbers.clone();
        reversed.reverse();
        assert_eq!(checksum(&numbers), checksum(&reversed));
        reversed[500] = reversed[501];
        assert_ne!(checksum(&numbers), checksum(&reversed));
    }
}
