//! Seven strands of known lengths, for the book's chapter on work and span (docs/ideas.md).
//!
//! Their milliseconds: prepare 10; then a 40, in parallel to split 10, b 30 in parallel to c 20,
//! and merge 10; then finish 10.
//!
//! What workspan should show:
//! - a work of 130 ms, a span of 70 ms (prepare, split, b, merge, finish), a parallelism of 1.86;
//! - with `--burden 10ms` a burdened span of 80 ms: rayon offers the second branch of a `join` to
//!   other threads, so split is burdened once, and c twice.

use std::hint::black_box;
use std::time::Instant;

use workspan_examples::{Arguments, effort};

const USAGE: &str = "usage: strands";

/// Keeps a processor busy for milliseconds.
struct Spin {
    steps: u32,
}

impl Spin {
    /// Measures the steps in a millisecond: as in the fastest of some tries, which nothing delayed.
    fn calibrated() -> Self {
        const STEPS: u32 = 20_000;
        let tries = (0..10).map(|seed| {
            let started = Instant::now();
            black_box(effort(seed, STEPS));
            started.elapsed()
        });
        let fastest = tries.min().expect("there are some tries");
        let steps = f64::from(STEPS) * 1e-3 / fastest.as_secs_f64();
        Spin {
            steps: steps as u32,
        }
    }

    fn milliseconds(&self, count: u32) {
        black_box(effort(1, count * self.steps));
    }
}

fn strands(spin: &Spin) {
    spin.milliseconds(10); // prepare
    rayon::join(
        || spin.milliseconds(40), // a
        || {
            spin.milliseconds(10); // split
            rayon::join(
                || spin.milliseconds(30), // b
                || spin.milliseconds(20), // c
            );
            spin.milliseconds(10); // merge
        },
    );
    spin.milliseconds(10); // finish
}

fn main() {
    Arguments::read_from_process(USAGE, |_| Ok(()));
    let spin = Spin::calibrated();
    let started = Instant::now();
    strands(&spin);
    println!(
        "strands: {:.3} s on {} threads",
        started.elapsed().as_secs_f64(),
        rayon::current_num_threads()
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn no_number_of_threads_is_faster_than_the_longest_chain() {
        let spin = Spin::calibrated();
        let started = Instant::now();
        strands(&spin);
        assert!(started.elapsed() >= Duration::from_millis(60));
    }
}
