//! A recursion that divides its work badly, and one that halves it.
//!
//! Both sum over blocks. One splits off the first block and recurs on the rest, so that the last of
//! n blocks waits for n forks in series, each of which another core may have to take over: a span
//! of n migrations. Halving has log n of them. The work is the same.
//!
//! What workspan should show:
//! - peel: the finding WS004, skewed children: the critical path goes through as many joins as
//!   there are blocks, and the burdened parallelism is far below the parallelism;
//! - halve: some ten joins on the critical path, and no finding.

use std::ops::Range;
use std::time::Instant;

use workspan_examples::{Arguments, effort, sum_of_efforts};

const USAGE: &str = "usage: skewed peel|halve [COUNT]
  peel   splits one block off at each join
  halve  splits the blocks in the middle
  COUNT  how many blocks, 1 to 5000 [default: 4000]";

/// Steps of the generator for a block: a few tens of microseconds.
const STEPS: u32 = 20_000;

fn peel(mut blocks: Range<u64>) -> u64 {
    let Some(first) = blocks.next() else {
        return 0;
    };
    let (first, rest) = rayon::join(|| effort(first, STEPS), || peel(blocks));
    first + rest
}

fn halve(blocks: Range<u64>) -> u64 {
    if blocks.end - blocks.start <= 1 {
        return blocks.map(|block| effort(block, STEPS)).sum();
    }
    let middle = blocks.start + (blocks.end - blocks.start) / 2;
    let (left, right) = rayon::join(|| halve(blocks.start..middle), || halve(middle..blocks.end));
    left + right
}

/// A way to add the blocks up.
type Way = fn(Range<u64>) -> u64;

fn main() {
    let (way, count) = Arguments::read_from_process(USAGE, |arguments| {
        let ways: [(_, Way); 2] = [("peel", peel), ("halve", halve)];
        Ok((
            arguments.choice("WAY", &ways)?,
            arguments.number("COUNT", 4_000, 1..=5_000)? as u64,
        ))
    });
    let started = Instant::now();
    let sum = way(0..count);
    let elapsed = started.elapsed();
    assert_eq!(sum, sum_of_efforts(0..count, STEPS), "added up wrongly");
    println!(
        "skewed: {count} blocks summed to {sum} in {:.3} s",
        elapsed.as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_add_up_all_blocks() {
        for count in [0, 1, 2, 77] {
            let expected = sum_of_efforts(0..count, STEPS);
            assert_eq!(peel(0..count), expected);
            assert_eq!(halve(0..count), expected);
        }
    }
}
