//! Two ways to write the same doubly nested loop (Cilkview, Fig. 4), and the cure of both.
//!
//! They call f(i, j) for 2 values of i and n of j. A forks once, around n serial calls; B forks n
//! times, around one call each. Work is 2n calls for both, span n calls: both have a parallelism of
//! 2, and a tool that knows no more calls them equal. C is one parallel loop over all 2n pairs.
//!
//! What workspan should show:
//! - A: one spawn, parallelism 2, burdened parallelism 2: one migration in a second of work. The
//!   finding is WS007, too few tasks;
//! - B: n spawns, parallelism a little below 2 (the forks' own cost is part of the span), burdened
//!   parallelism well below 1: each microsecond of `f` waits for a migration of several. The
//!   predicted speedup is below 1, and B on two cores does take longer than 2n calls in series: the
//!   fork belongs in the outer loop. The finding is WS002, tasks too fine;
//! - C: a parallelism of some 100 on 64 assumed cores, and no finding.

use std::time::Instant;

use rayon::prelude::*;
use workspan_examples::{Arguments, effort, sum_of_efforts};

const USAGE: &str = "usage: snippets A|B|C [COUNT]
  A      the parallel loop outside
  B      the parallel loop inside
  C      one parallel loop over all pairs
  COUNT  calls of each of the two tasks, 1 to 100000000 [default: 300000]";

/// Steps of the generator in one call of `f`: about a microsecond.
const STEPS: u32 = 1_000;

/// A small function of both indices.
fn f(i: u64, j: u64) -> u64 {
    effort(i ^ (j << 1), STEPS)
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

fn snippet_c(n: u64) -> u64 {
    (0..2 * n).into_par_iter().map(|k| f(k & 1, k >> 1)).sum()
}

/// A snippet: its name and the function.
type Snippet = (&'static str, fn(u64) -> u64);

const SNIPPETS: [(&str, Snippet); 3] = [
    ("A", ("A", snippet_a)),
    ("B", ("B", snippet_b)),
    ("C", ("C", snippet_c)),
];

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
    assert_eq!(
        sum,
        sum_of_efforts(0..2 * n, STEPS),
        "snippet {name} added up wrongly"
    );
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
    fn all_add_up_every_call() {
        let mut expected = 0;
        for j in 0..100 {
            expected += f(0, j) + f(1, j);
        }
        assert_eq!(snippet_a(100), expected);
        assert_eq!(snippet_b(100), expected);
        assert_eq!(snippet_c(100), expected);
    }
}
