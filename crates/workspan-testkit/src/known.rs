//! Programs whose work and span follow from their text.

use std::time::Duration;

use rayon::prelude::*;

use crate::spin::spin;

/// A program that spins, with what a profile of it should say.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// What to call it on the command line.
    pub name: &'static str,
    /// Runs it, with rayon used as any program does.
    pub run: fn(),
    /// Sum of its spins.
    pub work: Duration,
    /// Its longest chain of spins.
    pub span: Duration,
}

/// Every known program.
pub const KNOWN: &[Known] = &[
    Known {
        name: "coarse_tree",
        run: || tree(COARSE_TREE),
        work: COARSE_TREE.work(),
        span: COARSE_TREE.span(),
    },
    Known {
        name: "fine_trees",
        run: || (0..10).for_each(|_| tree(FINE_TREE)),
        work: times(10, FINE_TREE.work()),
        span: times(10, FINE_TREE.span()),
    },
    Known {
        name: "phases",
        run: phases,
        // A phase is 1 ms, then leaves of 1, 2, … 5 ms side by side.
        work: milliseconds(20 * (1 + 15)),
        span: milliseconds(20 * (1 + 5)),
    },
    Known {
        name: "skewed_joins",
        run: || skewed_joins(60),
        // Each join costs 0.2 ms before it and has 5 ms on its left; 1 ms ends the chain. The
        // longest path leaves it by the last join's left branch.
        work: microseconds(60 * (200 + 5_000) + 1_000),
        span: microseconds(60 * 200 + 5_000),
    },
    Known {
        name: "scope_with_work_between_spawns",
        run: scope_with_work_between_spawns,
        // The task of 5 ms spawned last ends last: 50 turns of 0.4 ms are before it.
        work: microseconds(50 * (400 + 5_000) + 1_000),
        span: microseconds(50 * 400 + 5_000),
    },
    Known {
        name: "tasks_for_outer_scope",
        run: tasks_for_outer_scope,
        // A turn takes 0.5 ms and then the inner task's 2 ms, longer than the inner body's 1 ms.
        // The last outer task starts when the inner one does and takes 3 ms more.
        work: microseconds(20 * (500 + 5_000 + 2_000 + 1_000)),
        span: microseconds(20 * (500 + 2_000) + 3_000),
    },
    Known {
        name: "par_iter_split_to_items",
        run: || {
            for _ in 0..3 {
                (0..ITEMS)
                    .into_par_iter()
                    .with_max_len(1)
                    .for_each(|item| spin(length_of_item(item)));
            }
        },
        // The longest item is the path, under ten joins that cost next to nothing.
        work: times(3, work_of_items()),
        span: times(3, length_of_item(ITEMS - 1)),
    },
    Known {
        name: "par_iter_in_eight_parts",
        run: || {
            (0..ITEMS)
                .into_par_iter()
                .with_min_len(125)
                .for_each(|_| spin(microseconds(600)));
        },
        // Halved three times, down to the least length.
        work: times(ITEMS as u64, microseconds(600)),
        span: times(125, microseconds(600)),
    },
    Known {
        name: "par_iter",
        run: || {
            for _ in 0..4 {
                (0..ITEMS)
                    .into_par_iter()
                    .for_each(|_| spin(milliseconds(1)));
            }
        },
        // For 64 assumed cores rayon halves seven times, and twice more since the calling thread is
        // outside the pool, which counts as a theft: 512 parts of one or two items. It splits
        // really stolen parts finer, but leaves some as they are.
        work: times(4 * ITEMS as u64, milliseconds(1)),
        span: times(4 * 2, milliseconds(1)),
    },
];

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

fn tree(shape: Tree) {
    if shape.depth == 0 {
        return spin(shape.leaf);
    }
    spin(shape.inner);
    let below = Tree {
        depth: shape.depth - 1,
        ..shape
    };
    rayon::join(|| tree(below), || tree(below));
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
        // The integral of x⁷ is 1/8, so about 50 ms + 4950 ms / 8, and half the longest more.
        assert!((0.669..0.672).contains(&work_of_items().as_secs_f64()));
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
