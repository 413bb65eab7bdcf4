//! Programs whose work and span follow from their source.

use std::time::Duration;

use rayon::prelude::*;

use crate::kernel;
use crate::spin::spin;
use crate::tiny::{Leaves, Lengths, Pattern, Tiny};

/// A program whose work and span are known.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does.
    pub truth: Truth,
}

/// What a program does, and so what a profile of it should show.
#[derive(Clone, Copy, Debug)]
pub enum Truth {
    /// It spins for a known time.
    Time {
        /// Runs it; it uses rayon like any program.
        run: fn(),
        /// Sum of its spins.
        work: Duration,
        /// Its longest chain of spins.
        span: Duration,
    },
    /// It runs kernels of a known number of iterations.
    Kernel(Tiny),
}

/// Every known program.
pub const KNOWN: &[Known] = &[
    spins(
        "coarse_tree",
        || spin_in_tree(COARSE_TREE),
        COARSE_TREE.work(),
        COARSE_TREE.span(),
    ),
    spins(
        "fine_trees",
        || (0..10).for_each(|_| spin_in_tree(FINE_TREE)),
        times(10, FINE_TREE.work()),
        times(10, FINE_TREE.span()),
    ),
    spins(
        "phases",
        phases,
        // A phase is 1 ms, then leaves of 1, 2, … 5 ms side by side.
        milliseconds(20 * (1 + 15)),
        milliseconds(20 * (1 + 5)),
    ),
    spins(
        "skewed_joins",
        || skewed_joins(60),
        // Before each join there are 0.2 ms, on its left 5 ms; 1 ms ends the chain. The longest
        // path leaves the chain through the last join's left branch.
        microseconds(60 * (200 + 5_000) + 1_000),
        microseconds(60 * 200 + 5_000),
    ),
    spins(
        "scope_with_work_between_spawns",
        scope_with_work_between_spawns,
        // The task spawned last ends last: its 5 ms come after 50 turns of 0.4 ms.
        microseconds(50 * (400 + 5_000) + 1_000),
        microseconds(50 * 400 + 5_000),
    ),
    spins(
        "tasks_for_outer_scope",
        tasks_for_outer_scope,
        // A turn takes 0.5 ms and then the inner task's 2 ms, longer than the inner body's 1 ms.
        // The last outer task starts with the inner one and takes 3 ms more.
        microseconds(20 * (500 + 5_000 + 2_000 + 1_000)),
        microseconds(20 * (500 + 2_000) + 3_000),
    ),
    spins(
        "par_iter_split_to_items",
        || {
            for _ in 0..3 {
                let items = (0..ITEMS).into_par_iter().with_max_len(1);
                items.for_each(|item| spin(length_of_item(item)));
            }
        },
        // The longest item is the path, under ten joins that cost next to nothing.
        times(3, work_of_items()),
        times(3, length_of_item(ITEMS - 1)),
    ),
    spins(
        "par_iter_in_eight_parts",
        || {
            let items = (0..ITEMS).into_par_iter().with_min_len(125);
            items.for_each(|_| spin(microseconds(600)));
        },
        // Halved three times, down to the least length.
        times(ITEMS as u64, microseconds(600)),
        times(125, microseconds(600)),
    ),
    spins(
        "par_iter",
        || {
            for _ in 0..4 {
                let items = (0..ITEMS).into_par_iter();
                items.for_each(|_| spin(milliseconds(1)));
            }
        },
        // For 64 assumed cores rayon halves seven times, and twice more because the calling thread
        // is outside the pool, which counts as a theft: 512 parts of one or two items. It splits
        // parts that are really stolen further, but leaves some as they are.
        times(4 * ITEMS as u64, milliseconds(1)),
        times(4 * 2, milliseconds(1)),
    ),
    tree("tree_50ns", 1_000, 4_096, kernel::nanoseconds(50)),
    tree("tree_200ns", 300, 4_096, kernel::nanoseconds(200)),
    tree("tree_1us", 300, 1_024, kernel::microseconds(1)),
    tree("tree_5us", 60, 1_024, kernel::microseconds(5)),
    tree("tree_50us", 24, 256, kernel::microseconds(50)),
    tiny("long_in_tree", 150, Pattern::Tree(LONG_AMONG_SHORT)),
    tiny("60us_leaf_each_ms", 300, Pattern::Tree(SIXTY_AMONG_SHORT)),
    tiny(
        "60us_strand_each_ms",
        300,
        Pattern::TreeThenStrand(
            Leaves::equal(1_024, kernel::microseconds(1)),
            kernel::microseconds(60),
        ),
    ),
    tiny("uneven_leaves", 28, Pattern::Tree(UNEVEN)),
    tiny("one_leaf_twice_as_long", 28, Pattern::Tree(TWICE_AS_LONG)),
    par_iter("loop_200ns", 300, 4_096, kernel::nanoseconds(200)),
    par_iter("loop_5us", 60, 1_024, kernel::microseconds(5)),
    par_iter("loop_512_of_100us", 6, 512, kernel::microseconds(100)),
    par_iter("loop_512_of_650us", 1, 512, kernel::microseconds(650)),
    par_iter("loop_4096_of_100us", 1, 4_096, kernel::microseconds(100)),
    par_iter("loop_4096_of_650us", 1, 4_096, kernel::microseconds(650)),
    tree("tree_64_of_650us", 1, 64, kernel::microseconds(650)),
    loop_512("loop_uneven", Lengths::Uniform(LOOP_LEAF)),
    loop_512("loop_alternating", Lengths::Alternating(LOOP_LEAF)),
    loop_512(
        "loop_one_leaf_twice_as_long",
        Lengths::OneLong {
            short: LOOP_LEAF,
            long: 2 * LOOP_LEAF,
        },
    ),
    tiny("long_in_loop", 150, Pattern::Loop(LONG_AMONG_SHORT)),
    spawns("spawns_1us", 70, 4_096, kernel::microseconds(1)),
    spawns("spawns_20us", 15, 1_024, kernel::microseconds(20)),
    tiny("fib_without_leaf_work", 1, Pattern::Fibonacci(34)),
];

/// One leaf of a millisecond among a thousand of a microsecond.
const LONG_AMONG_SHORT: Leaves =
    Leaves::one_long(1_024, kernel::microseconds(1), kernel::microseconds(1_000));

/// 60 µs once a millisecond are easily mistaken for time that a hypervisor took.
const SIXTY_AMONG_SHORT: Leaves =
    Leaves::one_long(1_024, kernel::microseconds(1), kernel::microseconds(60));

const TWICE_AS_LONG: Leaves =
    Leaves::one_long(512, kernel::microseconds(20), kernel::microseconds(40));

const UNEVEN: Leaves = Leaves {
    count: 512,
    lengths: Lengths::Uniform(kernel::microseconds(20)),
};

const fn spins(name: &'static str, run: fn(), work: Duration, span: Duration) -> Known {
    Known {
        name,
        truth: Truth::Time { run, work, span },
    }
}

const fn tiny(name: &'static str, repeats: u64, pattern: Pattern) -> Known {
    Known {
        name,
        truth: Truth::Kernel(Tiny { repeats, pattern }),
    }
}

const fn tree(name: &'static str, repeats: u64, count: u32, length: u64) -> Known {
    tiny(name, repeats, Pattern::Tree(Leaves::equal(count, length)))
}

const fn par_iter(name: &'static str, repeats: u64, count: u32, length: u64) -> Known {
    tiny(name, repeats, Pattern::Loop(Leaves::equal(count, length)))
}

const LOOP_LEAF: u64 = kernel::microseconds(650);

const fn loop_512(name: &'static str, lengths: Lengths) -> Known {
    let leaves = Leaves {
        count: 512,
        lengths,
    };
    tiny(name, 1, Pattern::Loop(leaves))
}

const fn spawns(name: &'static str, repeats: u64, count: u32, length: u64) -> Known {
    tiny(name, repeats, Pattern::Spawns(Leaves::equal(count, length)))
}

const fn times(count: u64, duration: Duration) -> Duration {
    microseconds(count * duration.as_micros() as u64)
}

const fn microseconds(count: u64) -> Duration {
    Duration::from_micros(count)
}

const fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}

const fn sum(first: Duration, second: Duration) -> Duration {
    microseconds((first.as_micros() + second.as_micros()) as u64)
}

/// A binary tree of joins with a spin before each and one in each leaf.
#[derive(Clone, Copy)]
struct Tree {
    depth: u32,
    inner: Duration,
    leaf: Duration,
}

const COARSE_TREE: Tree = Tree {
    depth: 6,
    inner: milliseconds(2),
    leaf: milliseconds(5),
};

const FINE_TREE: Tree = Tree {
    depth: 6,
    inner: microseconds(50),
    leaf: microseconds(800),
};

impl Tree {
    const fn work(self) -> Duration {
        let leaves = 1_u64 << self.depth;
        sum(times(leaves - 1, self.inner), times(leaves, self.leaf))
    }

    const fn span(self) -> Duration {
        sum(times(self.depth as u64, self.inner), self.leaf)
    }
}

fn spin_in_tree(shape: Tree) {
    if shape.depth == 0 {
        return spin(shape.leaf);
    }
    spin(shape.inner);
    let below = Tree {
        depth: shape.depth - 1,
        ..shape
    };
    rayon::join(|| spin_in_tree(below), || spin_in_tree(below));
}

fn phases() {
    for _ in 0..20 {
        spin(milliseconds(1));
        rayon::join(
            || rayon::join(|| spin(milliseconds(1)), || spin(milliseconds(2))),
            || {
                rayon::join(
                    || spin(milliseconds(3)),
                    || rayon::join(|| spin(milliseconds(4)), || spin(milliseconds(5))),
                )
            },
        );
    }
}

fn skewed_joins(count: u32) {
    if count == 0 {
        return spin(milliseconds(1));
    }
    spin(microseconds(200));
    rayon::join(|| spin(milliseconds(5)), || skewed_joins(count - 1));
}

fn scope_with_work_between_spawns() {
    rayon::scope(|scope| {
        for _ in 0..50 {
            spin(microseconds(400));
            scope.spawn(|_| spin(milliseconds(5)));
        }
        spin(milliseconds(1));
    });
}

fn tasks_for_outer_scope() {
    rayon::scope(|outer| {
        for _ in 0..20 {
            spin(microseconds(500));
            rayon::scope(|inner| {
                outer.spawn(|_| spin(milliseconds(5)));
                inner.spawn(|_| spin(milliseconds(2)));
                spin(milliseconds(1));
            });
        }
    });
}

const ITEMS: u32 = 1_000;

/// From 50 µs to 5 ms, mostly short.
const fn length_of_item(item: u32) -> Duration {
    let (rank, count) = (item as u128 + 1, ITEMS as u128);
    // The seventh power, so that the longest few stand apart.
    microseconds(50 + (4_950 * rank.pow(7) / count.pow(7)) as u64)
}

const fn work_of_items() -> Duration {
    let mut work = Duration::ZERO;
    let mut item = 0;
    while item < ITEMS {
        work = sum(work, length_of_item(item));
        item += 1;
    }
    work
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_take_from_50_microseconds_to_5_milliseconds() {
        assert_eq!(length_of_item(0), microseconds(50));
        assert_eq!(length_of_item(ITEMS - 1), milliseconds(5));
        // The integral of x⁷ is 1/8, so about 50 ms + 4950 ms / 8, plus half the longest item.
        assert!((0.669..0.672).contains(&work_of_items().as_secs_f64()));
    }

    #[test]
    fn names_are_distinct_and_leaves_can_be_halved() {
        for (index, known) in KNOWN.iter().enumerate() {
            assert!(KNOWN[..index].iter().all(|other| other.name != known.name));
            let Truth::Kernel(tiny) = known.truth else {
                continue;
            };
            let (Pattern::Tree(leaves)
            | Pattern::TreeThenStrand(leaves, _)
            | Pattern::Loop(leaves)
            | Pattern::Spawns(leaves)) = tiny.pattern
            else {
                continue;
            };
            assert!(leaves.count.is_power_of_two(), "{}", known.name);
        }
    }

    #[test]
    fn tree_of_depth_two_by_hand() {
        let shape = Tree {
            depth: 2,
            inner: microseconds(3),
            leaf: microseconds(10),
        };
        assert_eq!(shape.work(), microseconds(3 * 3 + 4 * 10));
        assert_eq!(shape.span(), microseconds(3 + 3 + 10));
    }
}
