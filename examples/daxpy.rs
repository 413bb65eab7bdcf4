//! y ← ax + y over long vectors: two reads, one write and two operations for each element.
//!
//! The classic memory-bound loop: vectors that do not fit the caches are read and written as fast
//! as the memory system allows, with any number of cores.
//!
//! What workspan should show:
//! - a parallelism in the hundreds and no finding in the profile: nothing is wrong with its tasks;
//! - `workspan bandwidth`: several copies at once, each on one core, slow one another down;
//! - `workspan scale --factored`: work inflation and little idle time; nearly no inflation with
//!   vectors of 10,000 elements, which fit the caches.

use std::time::Instant;

use rayon::prelude::*;
use workspan_examples::Arguments;

const USAGE: &str = "usage: daxpy [SIZE [REPEATS [WAY]]]
  SIZE     elements of each vector, 1 to 1000000000 [default: 16000000]
  REPEATS  how often it is done, 1 to 1000000 [default: 20]
  WAY      parallel, or serial: the baseline, without tasks [default: parallel]";

/// The least number of elements of a task.
const TASK: usize = 4_096;

fn in_parallel(a: f64, x: &[f64], y: &mut [f64]) {
    y.par_chunks_mut(TASK)
        .zip(x.par_chunks(TASK))
        .for_each(|(y, x)| serially(a, x, y));
}

fn serially(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// A way to do it.
type Way = fn(f64, &[f64], &mut [f64]);

/// Vectors whose elements and results are exact whole numbers.
fn vectors(size: usize) -> (Vec<f64>, Vec<f64>) {
    let x = (0..size).into_par_iter().map(|i| (i % 1_000) as f64);
    let y = (0..size).into_par_iter().map(|i| (i % 7) as f64);
    (x.collect(), y.collect())
}

fn is_right_after(repeats: usize, a: f64, y: &[f64]) -> bool {
    y.par_iter().enumerate().all(|(i, y)| {
        let (x, before) = ((i % 1_000) as f64, (i % 7) as f64);
        *y == before + repeats as f64 * a * x
    })
}

fn main() {
    let (size, repeats, way) = Arguments::read_from_process(USAGE, |arguments| {
        let size = arguments.number("SIZE", 16_000_000, 1..=1_000_000_000)?;
        let repeats = arguments.number("REPEATS", 20, 1..=1_000_000)?;
        let ways: [(_, Way); 2] = [("parallel", in_parallel), ("serial", serially)];
        let way = arguments.choice_or("WAY", &ways, in_parallel as Way)?;
        Ok((size, repeats, way))
    });
    let (x, mut y) = vectors(size);
    let started = Instant::now();
    for _ in 0..repeats {
        way(2.0, &x, &mut y);
    }
    let elapsed = started.elapsed();
    assert!(is_right_after(repeats, 2.0, &y), "an element is wrong");
    let bytes = (repeats * size * 3 * size_of::<f64>()) as f64;
    println!(
        "daxpy: {repeats} times {size} elements in {:.3} s, {:.1} GB/s",
        elapsed.as_secs_f64(),
        bytes / elapsed.as_secs_f64() / 1e9
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_add_the_multiple() {
        for way in [in_parallel, serially] as [Way; 2] {
            for size in [1, 4_096, 10_001] {
                let (x, mut y) = vectors(size);
                way(2.0, &x, &mut y);
                way(2.0, &x, &mut y);
                assert!(is_right_after(2, 2.0, &y));
                y[size / 2] += 1.0;
                assert!(!is_right_after(2, 2.0, &y));
            }
        }
    }
}
