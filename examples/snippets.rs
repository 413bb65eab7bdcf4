//! Two ways to write the same doubly nested loop (Cilkview, Fig. 4).
//!
//! Both call f(i, j) for i of two and j of n. A forks once, around n serial calls; B forks n
//! times, around one call each. Work is 2n calls for both, span n calls: both have a parallelism
//! of 2, and a tool that knows no more calls them equal.
//!
//! What workspan should show:
//! - A: one spawn, parallelism 2, burdened parallelism 2: one migration in a second of work;
//! - B: n spawns, parallelism a little below 2 (the forks' own cost is span too), burdened
//!   parallelism well below 1: each microsecond of `f` waits for a migration of several. A speedup
//!   below 1 is forecast, and B on two cores does take longer than 2n calls in a row: the fork
//!   belongs in the outer loop.

use std::hint::black_box;
use std::time::Instant;

use rayon::prelude::*;
use workspan_examples::Arguments;

const USAGE: &str = "usage: snippets A|B [COUNT]
  A      the parallel loop outside
  B      the parallel loop inside
  COUNT  calls of each of the two tasks, 1 to 100000000 [default: 300000]";

/// Steps of the generator in one call of `f`: about a microsecond.
const STEPS: u32 = 1_000;

/// A step of Knuth's linear congruential generator (MMIX) is `value * FACTOR + SUMMAND`.
const FACTOR: u64 = 6_364_136_223_846_793_005;
const SUMMAND: u64 = 1_442_695_040_888_963_407;

/// A small function of both indices. The compiler would make one multiplication of all steps if
/// it could see through them.
fn f(i: u64, j: u64) -> u64 {
    let mut value = i ^ (j << 1);
    for _ in 0..STEPS {
        value = black_box(value.wrapping_mul(FACTOR).wrapping_add(SUMMAND));
    }
    value >> 32
}

fn snippet_a(n: u64) -> u64 {
    (0..2_u64)
        .into_par_iter()
        .map(|i| (0..n).map(|j| f(i, j)).sum::<u64>())
        .sum()
}

fn snippet_b(n: u64) -> u64 {
    (0..n)
        .map(|j| (0..2_u64).into_par_iter().map(|i| f(i, j)).sum::<u64>())
        .sum()
}

/// The sum of all 2n calls, each made by one multiplication: a linear step, repeated, is linear.
fn sum_of_calls(n: u64) -> u64 {
    let (mut factor, mut summand) = (1_u64, 0_u64);
    for _ in 0..STEPS {
        factor = factor.wrapping_mul(FACTOR);
        summand = summand.wrapping_mul(FACTOR).wrapping_add(SUMMAND);
    }
    (0..2 * n)
        .map(|start| start.wrapping_mul(factor).wrapping_add(summand) >> 32)
        .sum()
}

/// A snippet: its name and the function.
type Snippet = (&'static str, fn(u64) -> u64);

const SNIPPETS: [(&str, Snippet); 2] = [("A", ("A", snippet_a)), ("B", ("B", snippet_b))];

fn main() {
    let ((name, snippet), count) = Arguments::read_from_process(USAGE, |arguments| {
        Ok((
            arguments.choice("SNIPPET", &SNIPPETS)?,
            arguments.number("COUNT", 300_000, 1..=100_000_000)?,
        ))
    });
    let n = count as u64;
    let started = Instant::now();
    let sum = snippet(n);
    let elapsed = started.elapsed();
    assert_eq!(sum, sum_of_calls(n), "snippet {name} added up wrongly");
    println!(
        "snippet {name}: {} calls summed to {sum} in {:.3} s",
        2 * n,
        elapsed.as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_add_up_every_call() {
        let mut expected = 0;
        for j in 0..100 {
            expected += f(0, j) + f(1, j);
        }
        assert_eq!(snippet_a(100), expected);
        assert_eq!(snippet_b(100), expected);
        assert_eq!(sum_of_calls(100), expected);
    }
}
