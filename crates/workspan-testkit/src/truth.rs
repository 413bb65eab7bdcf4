//! What a profile of a known program should show.

use std::hint::black_box;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::counts::{Costs, Counts};
use crate::kernel::{kernel, microseconds, nanoseconds};
use crate::spin::processor_time;
use crate::tiny::{Leaves, Pattern, Tiny, spawn_all};

/// The region that a tiny program runs in. Its figures leave out the start and the end of the
/// process.
pub const REGION: &str = "known";

/// What `accuracy NAME` prints as JSON. Only a plain build measures costs and times of tiny
/// programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// The program.
    pub name: String,
    /// The region whose figures these are; `None` for the whole program.
    pub region: Option<String>,
    /// What the work consists of, if the program is a tiny one.
    pub work: Option<Counts>,
    /// What the span consists of, if the program is a tiny one whose longest path is known.
    pub span: Option<Counts>,
    /// How long each of the counts takes.
    pub costs: Option<Costs>,
    /// Nanoseconds of work.
    pub work_ns: Option<f64>,
    /// Nanoseconds of span.
    pub span_ns: Option<f64>,
    /// Work over span.
    pub parallelism: Option<f64>,
}

impl Expected {
    /// For a program that spins.
    pub fn from_spins(name: &str, work: Duration, span: Duration) -> Self {
        Self {
            name: name.to_owned(),
            work_ns: Some(work.as_nanos() as f64),
            span_ns: Some(span.as_nanos() as f64),
            parallelism: Some(work.as_secs_f64() / span.as_secs_f64()),
            ..Self::default()
        }
    }

    /// Runs a tiny program on rayon's threads. It is measured if there is only one of them;
    /// otherwise only its counts are known.
    pub fn from_run(name: &str, tiny: Tiny) -> Self {
        if rayon::current_num_threads() == 1 {
            rayon::scope(|_| Self::measured(name, tiny))
        } else {
            rayon::scope(|_| workspan::in_region(REGION, || tiny.run()));
            Self::counted(name, tiny)
        }
    }

    /// For a tiny program, without times.
    fn counted(name: &str, tiny: Tiny) -> Self {
        Self {
            name: name.to_owned(),
            region: Some(REGION.to_owned()),
            work: Some(tiny.work()),
            span: tiny.span(),
            ..Self::default()
        }
    }

    /// Runs a tiny program on the calling thread, the only one of its pool, and measures it.
    ///
    /// The work is the processor time of the program, including the cost of rayon and the
    /// recursion. No run measures the span as a whole: it is the time that the counts of the
    /// longest path take. Two simpler ways are wrong. The span is not the share of the work that
    /// its iterations have, since the work has one fork per leaf, but the path of a tree has many
    /// forks and one leaf. And the cost of a fork is not the work less its iterations: if leaves
    /// are long, that is a small difference of large numbers.
    fn measured(name: &str, tiny: Tiny) -> Self {
        let mut rounds: Vec<Costs> = (0..ROUNDS).map(|_| measure_costs()).collect();
        let work_ns = nanoseconds_of(|| tiny.run());
        rounds.extend((0..ROUNDS).map(|_| measure_costs()));
        let costs = medians(&rounds);
        let span_ns = tiny.span().map(|span| span.nanoseconds(costs));
        Self {
            costs: Some(costs),
            work_ns: Some(work_ns),
            span_ns,
            parallelism: span_ns.map(|span_ns| work_ns / span_ns),
            ..Self::counted(name, tiny)
        }
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
    Costs {
        iteration_ns,
        leaf_ns: leaves_ns / count - LEAF as f64 * iteration_ns,
        join_ns: forks_ns(Pattern::Tree(LEAVES)) / (count - 1.0),
        split_ns: forks_ns(Pattern::Loop(LEAVES)) / (count - 1.0),
        spawn_ns: spawns_ns / count,
        task_ns: tasks_ns / count,
    }
}

/// Processor time that the calling thread uses for `body`.
fn nanoseconds_of(body: impl FnOnce()) -> f64 {
    let before = processor_time();
    body();
    (processor_time() - before).as_nanos() as f64
}

/// The median of each cost.
fn medians(rounds: &[Costs]) -> Costs {
    let median = |cost: fn(&Costs) -> f64| {
        let mut costs: Vec<f64> = rounds.iter().map(cost).collect();
        costs.sort_by(f64::total_cmp);
        (costs[(costs.len() - 1) / 2] + costs[costs.len() / 2]) / 2.0
    };
    Costs {
        iteration_ns: median(|costs| costs.iteration_ns),
        leaf_ns: median(|costs| costs.leaf_ns),
        join_ns: median(|costs| costs.join_ns),
        split_ns: median(|costs| costs.split_ns),
        spawn_ns: median(|costs| costs.spawn_ns),
        task_ns: median(|costs| costs.task_ns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_by_hand() {
        let round = |join_ns, split_ns| Costs {
            join_ns,
            split_ns,
            ..Costs::default()
        };
        let costs = medians(&[round(3.0, 1.0), round(1.0, 9.0), round(2.0, 2.0)]);
        assert_eq!((costs.join_ns, costs.split_ns), (2.0, 2.0));
        assert_eq!(medians(&[round(3.0, 1.0), round(1.0, 9.0)]).split_ns, 5.0);
    }

    #[test]
    fn times_of_spins_are_in_nanoseconds() {
        let of_spins =
            Expected::from_spins("spins", Duration::from_micros(6), Duration::from_micros(2));
        assert_eq!(of_spins.work_ns, Some(6_000.0));
        assert_eq!(of_spins.parallelism, Some(3.0));
        let json = serde_json::to_string(&of_spins).expect("plain data");
        assert_eq!(
            serde_json::from_str::<Expected>(&json).expect("the same"),
            of_spins
        );
    }
}
