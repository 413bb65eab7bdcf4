//! A loop over the items of a serial iterator, by `par_bridge` or by a parallel iterator.
//!
//! `par_bridge` runs one loop on each thread, which takes items off the shared iterator one by one,
//! behind a lock. If each item is cheap, the threads mostly wait for the lock; and since no thread
//! knows which item it will get, results come in any order. `(0..n).into_par_iter()`, or a
//! `collect` into a vector before the loop, halves the items repeatedly without any lock.
//!
//! What workspan should show:
//! - bridge: the finding WS006, serialised by `par_bridge`: its site has nearly all of the span,
//!   and the parallelism of the real threads, whatever number is assumed;
//! - range: a parallelism of some 100 on 64 assumed cores, and no finding.

use std::time::Instant;

use rayon::prelude::*;
use workspan_examples::{Arguments, effort, sum_of_efforts};

const USAGE: &str = "usage: bridge bridge|range [COUNT]
  bridge  a serial iterator behind par_bridge
  range   a parallel iterator over the same items
  COUNT   how many items, 1 to 100000000 [default: 100000]";

/// Steps of the generator for an item: a few microseconds.
const STEPS: u32 = 2_000;

fn by_bridge(count: u64) -> u64 {
    (0..count)
        .par_bridge()
        .map(|item| effort(item, STEPS))
        .sum()
}

fn by_range(count: u64) -> u64 {
    (0..count)
        .into_par_iter()
        .map(|item| effort(item, STEPS))
        .sum()
}

/// A way to add the items up.
type Way = fn(u64) -> u64;

fn main() {
    let (way, count) = Arguments::read_from_process(USAGE, |arguments| {
        let ways: [(_, Way); 2] = [("bridge", by_bridge), ("range", by_range)];
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
        "bridge: {count} items summed to {sum} in {:.3} s",
        elapsed.as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_add_up_all_items() {
        let expected = sum_of_efforts(0..100, STEPS);
        assert_eq!(by_bridge(100), expected);
        assert_eq!(by_range(100), expected);
    }
}
