//! What a profile of a known program should show.

use std::hint::black_box;

use serde::Serialize;

use crate::counts::{
    CALL, Costs, ITERATION, JOIN, KINDS, SPAWN, SPLIT, TASK, nanoseconds as nanoseconds_of_all,
};
use crate::kernel::{kernel, microseconds, nanoseconds};
use crate::known::{Known, Truth};
use crate::spin::processor_time;
use crate::tiny::{Leaves, Pattern, Tiny, spawn_all};

/// The region that a tiny program runs in. Its figures leave out the start and the end of the
/// process.
pub const REGION: &str = "known";

/// What `known NAME` prints as JSON.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Expected {
    /// The region whose figures these are; `None` for the whole program.
    pub region: Option<&'static str>,
    /// Nanoseconds of work. Only a plain build on one thread measures those of tiny programs.
    pub work_ns: Option<f64>,
    /// Nanoseconds of span, if the longest path is known.
    pub span_ns: Option<f64>,
    /// Nanoseconds of the serial code around it.
    pub serial_ns: f64,
}

impl Known {
    /// Runs the program. A tiny one is measured if rayon has only one thread.
    pub fn run(&self) -> Expected {
        match self.truth {
            Truth::Time { run, work, span } => {
                run();
                Expected {
                    work_ns: Some(work.as_nanos() as f64),
                    span_ns: Some(span.as_nanos() as f64),
                    ..Expected::default()
                }
            }
            Truth::Kernel(tiny) if rayon::current_num_threads() == 1 => {
                rayon::scope(|_| measured(tiny))
            }
            Truth::Kernel(tiny) => {
                rayon::scope(|_| workspan::in_region(REGION, || tiny.run()));
                of_region()
            }
        }
    }
}

fn of_region() -> Expected {
    Expected {
        region: Some(REGION),
        ..Expected::default()
    }
}

/// Runs a tiny program on the calling thread, the only one of its pool, and measures it.
///
/// The work is the processor time of the program, including the cost of rayon and the recursion. No
/// run measures the span as a whole: it is the time that the counts of the longest path take. Two
/// simpler ways are wrong. The span is not the share of the work that its iterations have, since the
/// work has one fork per leaf, but the path of a tree has many forks and one leaf. And the cost of a
/// fork is not the work less its iterations: if leaves are long, that is a small difference of large
/// numbers.
fn measured(tiny: Tiny) -> Expected {
    let mut rounds: Vec<Costs> = (0..ROUNDS).map(|_| measure_costs()).collect();
    let work_ns = nanoseconds_of(|| tiny.run());
    rounds.extend((0..ROUNDS).map(|_| measure_costs()));
    let span = tiny.span();
    Expected {
        work_ns: Some(work_ns),
        span_ns: span.map(|span| nanoseconds_of_all(span, medians(&rounds))),
        ..of_region()
    }
}

/// How often costs are measured before a program, and again after it.
const ROUNDS: usize = 5;

/// Iterations that are timed to find the cost of one: 5 ms, so that reading the clock is
/// negligible.
const ITERATIONS: u64 = microseconds(5_000);

/// Leaves with which forks are measured: short, so that the forks take a good part of the time.
const LEAVES: Leaves = Leaves::equal(4_096, LEAF);
const LEAF: u64 = nanoseconds(50);

/// Measures each cost once.
fn measure_costs() -> Costs {
    let count = f64::from(LEAVES.count);
    let leaves_ns = nanoseconds_of(|| (0..LEAVES.count).for_each(|_| kernel(black_box(LEAF))));
    let forks_ns = |pattern: Pattern| nanoseconds_of(|| pattern.run()) - leaves_ns;
    let mut spawns_ns = 0.0;
    let tasks_ns = nanoseconds_of(|| {
        rayon::scope(|scope| spawns_ns = nanoseconds_of(|| spawn_all(scope, LEAVES)));
    }) - leaves_ns
        - spawns_ns;
    let iteration_ns = nanoseconds_of(|| kernel(ITERATIONS)) / ITERATIONS as f64;
    let mut costs = [0.0; KINDS];
    costs[ITERATION] = iteration_ns;
    costs[CALL] = leaves_ns / count - LEAF as f64 * iteration_ns;
    costs[JOIN] = forks_ns(Pattern::Tree(LEAVES)) / (count - 1.0);
    costs[SPLIT] = forks_ns(Pattern::Loop(LEAVES)) / (count - 1.0);
    costs[SPAWN] = spawns_ns / count;
    costs[TASK] = tasks_ns / count;
    costs
}

/// Processor time that the calling thread uses for `body`.
fn nanoseconds_of(body: impl FnOnce()) -> f64 {
    let before = processor_time();
    body();
    (processor_time() - before).as_nanos() as f64
}

/// The median of each cost.
fn medians(rounds: &[Costs]) -> Costs {
    std::array::from_fn(|kind| {
        let mut costs: Vec<f64> = rounds.iter().map(|costs| costs[kind]).collect();
        costs.sort_by(f64::total_cmp);
        f64::midpoint(costs[(costs.len() - 1) / 2], costs[costs.len() / 2])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_by_hand() {
        let round = |join: f64, split: f64| {
            let mut costs = [0.0; KINDS];
            (costs[JOIN], costs[SPLIT]) = (join, split);
            costs
        };
        let costs = medians(&[round(3.0, 1.0), round(1.0, 9.0), round(2.0, 2.0)]);
        assert_eq!((costs[JOIN], costs[SPLIT]), (2.0, 2.0));
        assert_eq!(medians(&[round(3.0, 1.0), round(1.0, 9.0)])[SPLIT], 5.0);
    }
}
