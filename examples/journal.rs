//! Results that each task writes to a slow device, behind a lock, and results written together.
//!
//! A write takes a tenth of a millisecond, however much it writes. If each item is written by
//! itself, one thread writes with the lock held, and the others wait for it and still hold their
//! cores. The loop looks parallel, and by work and span it is: waits are part of both. `map` and
//! `collect` compute without a lock, with one write at the end.
//!
//! What workspan should show:
//! - each: the finding WS006, waits: most of the loop's work is blocked, on any number of threads;
//! - together: hardly anything blocked, a parallelism of some 100 on 64 assumed cores, no finding.

use std::sync::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use workspan_examples::{Arguments, effort, sum_of_efforts};

const USAGE: &str = "usage: journal each|together [COUNT]
  each      every item is written by itself, behind a lock
  together  all items are collected, and then written
  COUNT     how many items, 1 to 10000000 [default: 2000 each, 100000 together]";

/// Steps of the generator for an item: a few microseconds.
const STEPS: u32 = 2_000;

/// A slow device.
#[derive(Default)]
struct Journal {
    sum: u64,
}

impl Journal {
    fn write(&mut self, entries: &[u64]) {
        sleep(Duration::from_micros(100));
        self.sum += entries.iter().sum::<u64>();
    }
}

fn each(count: u64) -> u64 {
    let journal = Mutex::new(Journal::default());
    (0..count).into_par_iter().for_each(|item| {
        let entry = effort(item, STEPS);
        let mut journal = journal.lock().expect("no write panics");
        journal.write(&[entry]);
    });
    journal.into_inner().expect("no write panics").sum
}

fn together(count: u64) -> u64 {
    let mut journal = Journal::default();
    let entries: Vec<u64> = (0..count)
        .into_par_iter()
        .map(|item| effort(item, STEPS))
        .collect();
    journal.write(&entries);
    journal.sum
}

/// A way to write the items.
type Way = fn(u64) -> u64;

fn main() {
    let (way, count) = Arguments::read_from_process(USAGE, |arguments| {
        let ways: [(_, (Way, usize)); 2] =
            [("each", (each, 2_000)), ("together", (together, 100_000))];
        let (way, default) = arguments.choice("WAY", &ways)?;
        Ok((
            way,
            arguments.number("COUNT", default, 1..=10_000_000)? as u64,
        ))
    });
    let started = Instant::now();
    let sum = way(count);
    let elapsed = started.elapsed();
    assert_eq!(sum, sum_of_efforts(0..count, STEPS), "written wrongly");
    println!(
        "journal: {count} items of sum {sum} written in {:.3} s",
        elapsed.as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_write_all_items() {
        let expected = sum_of_efforts(0..100, STEPS);
        assert_eq!(each(100), expected);
        assert_eq!(together(100), expected);
    }
}
