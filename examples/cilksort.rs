//! Mergesort with a parallel merge, whose cutoff sets how fine its tasks are.
//!
//! From Cilk-5; Acar, Charguéraud and Rainey factor its speedups for such cutoffs (Fig. 1 to 3).
//! Quarters are sorted in parallel; a merge of two splits both at the middle of the longer one.
//!
//! What `workspan scale --factored --baseline 'cilksort COUNT CUTOFF serial'` should show:
//! - a small cutoff (`cilksort 10000000 20`): maximal speedup far below linear: tasking overhead;
//! - a large one (`cilksort 10000000 2000000`): the idle-time-specific speedup flattens, since the
//!   parallelism is too low;
//! - the default: only work inflation is left.

use std::time::Instant;

use rayon::prelude::*;
use workspan_examples::{Arguments, cilksort, random_numbers};

const USAGE: &str = "usage: cilksort [COUNT [CUTOFF [WAY]]]
  COUNT   how many random numbers, 0 to 1000000000 [default: 10000000]
  CUTOFF  fewer numbers than these are sorted and merged without tasks, 4 to 1000000000 [default: 2048]
  WAY     parallel, or serial: the baseline, the standard library's sort [default: parallel]";

fn main() {
    let (count, cutoff, is_serial) = Arguments::read_from_process(USAGE, |arguments| {
        let count = arguments.number("COUNT", 10_000_000, 0..=1_000_000_000)?;
        let cutoff = arguments.number("CUTOFF", 2_048, 4..=1_000_000_000)?;
        let ways = [("parallel", false), ("serial", true)];
        Ok((count, cutoff, arguments.choice_or("WAY", &ways, false)?))
    });
    let mut numbers = random_numbers(count, 1);
    let sum = wrapping_sum(&numbers);
    let mut room = vec![0; count];
    let started = Instant::now();
    if is_serial {
        numbers.sort_unstable();
    } else {
        cilksort(&mut numbers, &mut room, cutoff, <[u64]>::sort_unstable);
    }
    let elapsed = started.elapsed();
    assert!(
        numbers.par_windows(2).all(|pair| pair[0] <= pair[1]),
        "the numbers are out of order"
    );
    assert_eq!(wrapping_sum(&numbers), sum, "numbers were lost");
    println!(
        "cilksort: {count} numbers sorted, cutoff {cutoff}, in {:.3} s",
        elapsed.as_secs_f64()
    );
}

fn wrapping_sum(numbers: &[u64]) -> u64 {
    numbers.par_iter().copied().reduce(|| 0, u64::wrapping_add)
}
