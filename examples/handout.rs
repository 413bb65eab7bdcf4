//! Work that one task hands out item by item, and work that is divided by halves.
//!
//! A scope that spawns a task for each item puts them all into the queue of one thread. Every other
//! thread steals its items there one by one, so that nearly all items move. Dividing by halves, as
//! `join` and parallel iterators do, moves a half at a time, which then feeds its thief.
//!
//! What workspan should show:
//! - single: the finding WS005, many steals for little work: half of the tasks are stolen on two
//!   threads, each of a few microseconds, about as long as stealing it takes;
//! - divided: some steals, and no finding.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use workspan_examples::{Arguments, effort, sum_of_efforts};

const USAGE: &str = "usage: handout single|divided [COUNT]
  single   a scope spawns a task for each item
  divided  a parallel iterator over the items
  COUNT    how many items, 1 to 100000000 [default: 100000]";

/// Steps of the generator for an item: a few microseconds.
const STEPS: u32 = 1_500;

fn single(count: u64) -> u64 {
    let sum = AtomicU64::new(0);
    rayon::scope(|scope| {
        for item in 0..count {
            let sum = &sum;
            scope.spawn(move |_| {
                sum.fetch_add(effort(item, STEPS), Ordering::Relaxed);
            });
        }
    });
    sum.into_inner()
}

fn divided(count: u64) -> u64 {
    (0..count)
        .into_par_iter()
        .map(|item| effort(item, STEPS))
        .sum()
}

/// A way to add the items up.
type Way = fn(u64) -> u64;

fn main() {
    let (way, count) = Arguments::read_from_process(USAGE, |arguments| {
        let ways: [(_, Way); 2] = [("single", single), ("divided", divided)];
        Ok((
            arguments.choice("WAY", &ways)?,
            arguments.number("COUNT", 100_000, 1..=100_000_000)? as u64,
        ))
    });
    let started = Instant::now();
    let sum = way(count);
    let elapsed = started.elapsed();
    assert_eq!(sum, sum_of_efforts(0..count, STEPS), "added up wrongly");
    println!(
        "handout: {count} items summed to {sum} in {:.3} s",
        elapsed.as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_add_up_all_items() {
        let expected = sum_of_efforts(0..100, STEPS);
        assert_eq!(single(100), expected);
        assert_eq!(divided(100), expected);
    }
}
