//! Copies a large array in parallel: no computation at all.
//!
//! What workspan should show:
//! - a parallelism in the hundreds in the profile, and hardly a speedup in a sweep;
//! - `workspan bandwidth`: the memory system is the limit as soon as a few copies run at once;
//! - `workspan scale --factored`: all that is lost is work inflation.

use std::time::Instant;

use rayon::prelude::*;
use workspan_examples::Arguments;

const USAGE: &str = "usage: memcpy [SIZE [REPEATS [WAY]]]
  SIZE     words of eight bytes, 1 to 1000000000 [default: 16000000]
  REPEATS  how often they are copied, 1 to 1000000 [default: 20]
  WAY      parallel, or serial: the baseline, without tasks [default: parallel]";

/// The least number of words of a task.
const TASK: usize = 4_096;

fn in_parallel(from: &[u64], to: &mut [u64]) {
    to.par_chunks_mut(TASK)
        .zip(from.par_chunks(TASK))
        .for_each(|(to, from)| to.copy_from_slice(from));
}

fn serially(from: &[u64], to: &mut [u64]) {
    to.copy_from_slice(from);
}

/// A way to copy.
type Way = fn(&[u64], &mut [u64]);

fn main() {
    let (size, repeats, way) = Arguments::read_from_process(USAGE, |arguments| {
        let size = arguments.number("SIZE", 16_000_000, 1..=1_000_000_000)?;
        let repeats = arguments.number("REPEATS", 20, 1..=1_000_000)?;
        let ways: [(_, Way); 2] = [("parallel", in_parallel), ("serial", serially)];
        let way = arguments.choice_or("WAY", &ways, in_parallel as Way)?;
        Ok((size, repeats, way))
    });
    let words = || (0..size).into_par_iter().map(|word| word as u64);
    let mut from: Vec<u64> = words().collect();
    let mut to = vec![1; size];
    let started = Instant::now();
    for _ in 0..repeats {
        way(&from, &mut to);
        // Back and forth, so that each copy is needed for the next.
        std::mem::swap(&mut from, &mut to);
    }
    let elapsed = started.elapsed();
    let is_copied = |copy: &[u64]| words().eq(copy.par_iter().copied());
    assert!(is_copied(&from) && is_copied(&to), "a word is wrong");
    let bytes = (repeats * size * 2 * size_of::<u64>()) as f64;
    println!(
        "memcpy: {repeats} times {size} words in {:.3} s, {:.1} GB/s",
        elapsed.as_secs_f64(),
        bytes / elapsed.as_secs_f64() / 1e9
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_copy_everything() {
        for way in [in_parallel, serially] as [Way; 2] {
            for size in [1, 4_096, 10_001] {
                let from: Vec<u64> = (0..size as u64).collect();
                let mut to = vec![u64::MAX; size];
                way(&from, &mut to);
                assert!(from == to);
            }
        }
    }
}
