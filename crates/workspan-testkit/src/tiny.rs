//! Programs whose strands last from nanoseconds to microseconds: leaves with known numbers of
//! iterations.
//!
//! With strands so short, the cost of rayon and the recursion is a good part of the work, and an
//! even larger one of the span. So the iterations and the forks are counted, in the whole program
//! and on its longest path, and a plain build measures how long each of them takes.

use rayon::prelude::*;

use crate::counts::{Counts, JOIN, SPAWN, SPLIT, TASK, leaf, of, sum};
use crate::kernel::kernel;

/// A pattern that is run repeatedly.
#[derive(Clone, Copy, Debug)]
pub struct Tiny {
    /// How often, in series.
    pub repeats: u64,
    /// What is run.
    pub pattern: Pattern,
}

/// What a program does once. Numbers of leaves are powers of two.
#[derive(Clone, Copy, Debug)]
pub enum Pattern {
    /// A binary tree of joins.
    Tree(Leaves),
    /// A binary tree of joins, and then a strand with this number of iterations.
    TreeThenStrand(Leaves, u64),
    /// A parallel iterator, split into its items.
    Loop(Leaves),
    /// A scope that spawns a task for each leaf.
    Spawns(Leaves),
    /// The recursion for Fibonacci numbers by joins, without work in its leaves. Its span is not
    /// known: nothing shows how much of its time are calls and how much are joins.
    Fibonacci(u32),
}

/// Leaves that may run in parallel.
#[derive(Clone, Copy, Debug)]
pub struct Leaves {
    /// How many.
    pub count: u32,
    /// How long each is.
    pub lengths: Lengths,
}

/// Iterations of the leaves.
#[derive(Clone, Copy, Debug)]
pub enum Lengths {
    /// All leaves are equally long.
    Equal(u64),
    /// All leaves are equally long but one, which is neither among the first nor among the last.
    OneLong {
        /// Iterations of all others.
        short: u64,
        /// Iterations of that one.
        long: u64,
    },
    /// From four to six fifths of this mean, spread evenly.
    Uniform(u64),
    /// Every other leaf takes seven tenths of this mean, the others thirteen tenths.
    Alternating(u64),
}

impl Tiny {
    /// Runs it on the calling thread, which is one of rayon's.
    pub fn run(self) {
        for _ in 0..self.repeats {
            self.pattern.run();
        }
    }

    /// What its longest path consists of.
    pub(crate) fn span(self) -> Option<Counts> {
        let span = self.pattern.span()?;
        Some(span.map(|count| self.repeats * count))
    }
}

impl Pattern {
    pub(crate) fn run(self) {
        match self {
            Pattern::Tree(leaves) => tree(0, leaves.count, leaves.lengths),
            Pattern::TreeThenStrand(leaves, strand) => {
                tree(0, leaves.count, leaves.lengths);
                kernel(strand);
            }
            // With both limits it is split into its items whatever the number of threads, stolen or
            // not.
            Pattern::Loop(leaves) => (0..leaves.count)
                .into_par_iter()
                .with_min_len(1)
                .with_max_len(1)
                .for_each(|leaf| kernel(leaves.lengths.of_leaf(leaf))),
            Pattern::Spawns(leaves) => rayon::scope(|scope| spawn_all(scope, leaves)),
            Pattern::Fibonacci(n) => {
                std::hint::black_box(fibonacci(std::hint::black_box(n)));
            }
        }
    }

    fn span(self) -> Option<Counts> {
        Some(match self {
            Pattern::Tree(leaves) => sum(leaves.longest(), of(&[(JOIN, leaves.depth())])),
            Pattern::TreeThenStrand(leaves, strand) => {
                sum(Pattern::Tree(leaves).span()?, leaf(strand))
            }
            Pattern::Loop(leaves) => sum(leaves.longest(), of(&[(SPLIT, leaves.depth())])),
            // The last task starts after all spawns, and none ends later: the leaves are equal.
            Pattern::Spawns(leaves) => {
                let spawns = of(&[(SPAWN, leaves.count.into()), (TASK, 1)]);
                sum(leaves.longest(), spawns)
            }
            Pattern::Fibonacci(_) => return None,
        })
    }
}

impl Leaves {
    /// Leaves that all have the same number of iterations.
    pub const fn equal(count: u32, iterations: u64) -> Self {
        Leaves {
            count,
            lengths: Lengths::Equal(iterations),
        }
    }

    /// Leaves that all have the same number of iterations but one.
    pub const fn one_long(count: u32, short: u64, long: u64) -> Self {
        Leaves {
            count,
            lengths: Lengths::OneLong { short, long },
        }
    }

    fn depth(self) -> u64 {
        self.count.ilog2().into()
    }

    fn longest(self) -> Counts {
        let lengths = (0..self.count).map(|leaf| self.lengths.of_leaf(leaf));
        leaf(lengths.max().unwrap_or_default())
    }
}

impl Lengths {
    fn of_leaf(self, leaf: u32) -> u64 {
        match self {
            Lengths::Equal(length) => length,
            Lengths::OneLong { long, .. } if leaf == LONG_LEAF => long,
            Lengths::OneLong { short, .. } => short,
            Lengths::Alternating(mean) if leaf.is_multiple_of(2) => mean * 7 / 10,
            Lengths::Alternating(mean) => mean * 13 / 10,
            // Multiples of the golden ratio, modulo 1, are spread evenly.
            Lengths::Uniform(mean) => {
                let part = u64::from(leaf.wrapping_mul(0x9E37_79B9));
                mean * 4 / 5 + ((mean * 2 / 5 * part) >> 32)
            }
        }
    }
}

/// The index of the long leaf.
const LONG_LEAF: u32 = 300;

fn tree(first: u32, count: u32, lengths: Lengths) {
    if count == 1 {
        return kernel(lengths.of_leaf(first));
    }
    let half = count / 2;
    rayon::join(
        || tree(first, half, lengths),
        || tree(first + half, half, lengths),
    );
}

/// Spawns a task for each leaf.
pub(crate) fn spawn_all<'scope>(scope: &rayon::Scope<'scope>, leaves: Leaves) {
    for leaf in 0..leaves.count {
        scope.spawn(move |_| kernel(leaves.lengths.of_leaf(leaf)));
    }
}

fn fibonacci(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = rayon::join(|| fibonacci(n - 1), || fibonacci(n - 2));
    a + b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{CALL, ITERATION};

    const FOUR: Leaves = Leaves::equal(4, 10);

    #[test]
    fn spans_of_four_leaves_by_hand() {
        let tree = Tiny {
            repeats: 5,
            pattern: Pattern::Tree(FOUR),
        };
        assert_eq!(
            tree.span(),
            Some(of(&[(ITERATION, 50), (CALL, 5), (JOIN, 10)]))
        );
        let span = |pattern: Pattern| pattern.span().expect("known");
        let then = span(Pattern::TreeThenStrand(FOUR, 7));
        assert_eq!(then, of(&[(ITERATION, 17), (CALL, 2), (JOIN, 2)]));
        let cut = span(Pattern::Loop(FOUR));
        assert_eq!(cut, of(&[(ITERATION, 10), (CALL, 1), (SPLIT, 2)]));
        let spawned = span(Pattern::Spawns(FOUR));
        assert_eq!(
            spawned,
            of(&[(ITERATION, 10), (CALL, 1), (SPAWN, 4), (TASK, 1)])
        );
    }

    #[test]
    fn long_leaf_is_the_path() {
        let long = Pattern::Loop(Leaves::one_long(1_024, 3, 1_000));
        assert_eq!(
            long.span(),
            Some(of(&[(ITERATION, 1_000), (CALL, 1), (SPLIT, 10)]))
        );
    }

    #[test]
    fn uneven_leaves_lie_between_four_and_six_fifths() {
        let uniform = Lengths::Uniform(1_000);
        // 0x9E3779B9 / 2³² is 0.618…
        assert_eq!([0, 1].map(|leaf| uniform.of_leaf(leaf)), [800, 800 + 247]);
        let lengths: Vec<u64> = (0..512).map(|leaf| uniform.of_leaf(leaf)).collect();
        assert!((1_195..1_200).contains(lengths.iter().max().expect("it has leaves")));
        let mean = lengths.iter().sum::<u64>() as f64 / 512.0;
        assert!((998.0..1_002.0).contains(&mean), "{mean}");
    }

    #[test]
    fn alternating_leaves_have_the_mean() {
        let lengths = [0, 1].map(|leaf| Lengths::Alternating(10).of_leaf(leaf));
        assert_eq!(lengths, [7, 13]);
    }
}
