//! Counts of what a path or a whole program consists of, and the time that each of these takes.

use std::ops::{Add, Mul};

use serde::{Deserialize, Serialize};

/// Numbers of iterations of the kernel, of its calls, and of forks of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Iterations of the kernel.
    pub iterations: u64,
    /// Calls of the kernel.
    pub leaves: u64,
    /// Calls of `rayon::join`.
    pub joins: u64,
    /// Splits of a parallel iterator.
    pub splits: u64,
    /// Calls of `spawn`, without the running of the task.
    pub spawns: u64,
    /// Spawned tasks, without their iterations.
    pub tasks: u64,
}

/// How long each of the [`Counts`] takes, in nanoseconds of processor time, if rayon has one
/// thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// An iteration of the kernel.
    pub iteration_ns: f64,
    /// A call of the kernel, without its iterations.
    pub leaf_ns: f64,
    /// A `rayon::join` in a recursion.
    pub join_ns: f64,
    /// A split of a parallel iterator.
    pub split_ns: f64,
    /// A `spawn`.
    pub spawn_ns: f64,
    /// Running and freeing a spawned task.
    pub task_ns: f64,
}

impl Counts {
    /// A single leaf.
    pub const fn leaf(iterations: u64) -> Self {
        Self {
            iterations,
            leaves: 1,
            joins: 0,
            splits: 0,
            spawns: 0,
            tasks: 0,
        }
    }

    /// The time that all of it takes, in nanoseconds.
    pub fn nanoseconds(self, costs: Costs) -> f64 {
        self.iterations as f64 * costs.iteration_ns
            + self.leaves as f64 * costs.leaf_ns
            + self.joins as f64 * costs.join_ns
            + self.splits as f64 * costs.split_ns
            + self.spawns as f64 * costs.spawn_ns
            + self.tasks as f64 * costs.task_ns
    }
}

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            iterations: self.iterations + other.iterations,
            leaves: self.leaves + other.leaves,
            joins: self.joins + other.joins,
            splits: self.splits + other.splits,
            spawns: self.spawns + other.spawns,
            tasks: self.tasks + other.tasks,
        }
    }
}

impl Mul<Counts> for u64 {
    type Output = Counts;

    fn mul(self, counts: Counts) -> Counts {
        Counts {
            iterations: self * counts.iterations,
            leaves: self * counts.leaves,
            joins: self * counts.joins,
            splits: self * counts.splits,
            spawns: self * counts.spawns,
            tasks: self * counts.tasks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_by_hand() {
        let counts = Counts {
            iterations: 100,
            leaves: 2,
            joins: 3,
            splits: 5,
            spawns: 7,
            tasks: 11,
        };
        let costs = Costs {
            iteration_ns: 2.5,
            leaf_ns: 10.0,
            join_ns: 20.0,
            split_ns: 30.0,
            spawn_ns: 40.0,
            task_ns: 50.0,
        };
        let by_hand = 250.0 + 20.0 + 60.0 + 150.0 + 280.0 + 550.0;
        assert_eq!(counts.nanoseconds(costs), by_hand);
        assert_eq!((2 * counts + counts).nanoseconds(costs), 3.0 * by_hand);
    }
}
