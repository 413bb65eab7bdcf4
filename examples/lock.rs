//! A sum behind a lock that every iteration takes, and the same sum by `reduce`.
//!
//! The lock is held while an item is computed, so that only one thread computes at a time and the others wait. The loop
//! looks parallel, and by work and span alone it is: waits are part of both. `map` and `sum` give each task a
//! sum of its own, and add these on the way up.
//!
//! What workspan should show:
//! - lock: the finding WS006, serialised by a lock: on two threads about half of the loop's work is blocked;
//! - sum: nothing blocked, a parallelism of some 100 on 64 assumed cores, and no finding.

use std::sync::Mutex;
use std::time::Instant;

use rayon::prelude::*;
use workspan_examples::{Arguments, effort, sum_of_efforts};

const USAGE: &str = "usage: lock lock|sum [COUNT]
  lock   every item is computed and added behind one lock
  sum    every task has a sum of its own
  COUNT  how many items, 1 to 10000000 [default: 10000]";

/// Steps of the generator for an item: some tens of microseconds.
const STEPS: u32 = 20_000;

fn behind_a_lock(count: u64) -> u64 {
    let sum = Mutex::new(0);
    (0..count).into_par_iter().for_each(|item| {
        let mut sum = sum.lock().expect("no item panics");
        *sum += effort(item, STEPS);
    });
    sum.into_inner().expect("no item panics")
}

fn by_sum(count: u64) -> u64 {
    (0..count)
        .into_par_iter()
        .map(|item| effort(item, STEPS))
        .sum()
}

/// A way to add the items up.
type Way = fn(u64) -> u64;

fn main() {
    let (way, count) = Arguments::read_from_process(USAGE, |arguments| {
        let ways: [(_, Way); 2] = [("lock", behind_a_lock), ("sum", by_sum)];
        Ok((
            arguments.choice("WAY", &ways)?,
            arguments.number("COUNT", 10_000, 1..=10_000_000)? as u64,
        ))
    });
    let started = Instant::now();
    let sum = way(count);
    let elapsed = started.elapsed();
    assert_eq!(sum, sum_of_efforts(0..count, STEPS), "added up wrongly");
    println!(
        "lock: {count} items summed to {sum} in {:.3} s",
        elapsed.as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_add_up_all_items() {
        let expected = sum_of_efforts(0..100, STEPS);
        assert_eq!(behind_a_lock(100), expected);
        assert_eq!(by_sum(100), expected);
    }
}
