//! A loop over a range in pieces that are too small, and in the pieces that rayon chooses.
//!
//! Rayon splits a parallel iterator into about twice as many pieces as there are threads, and into
//! more if threads run out of work. `with_max_len(1)` makes a task of each item: as many forks as
//! items, each of which costs about as much as an item.
//!
//! What workspan should show:
//! - ones: the finding WS008, over-splitting: a task for each of ten million items, and a tasking
//!   overhead that is a large part of the work;
//! - default: some hundred tasks, and no finding.

use std::time::Instant;

use rayon::prelude::*;
use workspan_examples::{Arguments, effort};

const USAGE: &str = "usage: chunks ones|default [COUNT]
  ones     a task for each item
  default  as rayon cuts them
  COUNT    how many items, 1 to 1000000000 [default: 10000000]";

/// Steps of the generator for an item: a few tens of nanoseconds.
const STEPS: u32 = 10;

fn in_ones(count: u32) -> u64 {
    (0..count)
        .into_par_iter()
        .with_max_len(1)
        .map(|item| effort(item.into(), STEPS))
        .sum()
}

fn by_default(count: u32) -> u64 {
    (0..count)
        .into_par_iter()
        .map(|item| effort(item.into(), STEPS))
        .sum()
}

/// A way to add the items up.
type Way = fn(u32) -> u64;

fn main() {
    let (way, count) = Arguments::read_from_process(USAGE, |arguments| {
        let ways: [(_, Way); 2] = [("ones", in_ones), ("default", by_default)];
        Ok((
            arguments.choice("WAY", &ways)?,
            arguments.number("COUNT", 10_000_000, 1..=1_000_000_000)? as u32,
        ))
    });
    let started = Instant::now();
    let sum = way(count);
    let elapsed = started.elapsed();
    println!(
        "chunks: {count} items summed to {sum} in {:.3} s",
        elapsed.as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use workspan_examples::sum_of_efforts;

    #[test]
    fn both_ways_add_up_all_items() {
        let expected = sum_of_efforts(0..1_000, STEPS);
        assert_eq!(in_ones(1_000), expected);
        assert_eq!(by_default(1_000), expected);
    }
}
