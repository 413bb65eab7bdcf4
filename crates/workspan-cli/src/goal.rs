//! The goal of advice.

use workspan_model::{Dag, Execution, Goal, Nanos, Profile, average_tasking_overhead};

/// Default target parallelism.
pub(crate) const TARGET: f64 = 128.0;

/// Default of the largest factor by which a step makes code parallel.
pub(crate) const FACTOR: f64 = 128.0;

/// Default of the shortest strand, as a multiple of the average cost of a task.
pub(crate) const THRESHOLD: f64 = 10.0;

/// The goal of advice without options.
pub(crate) fn default_goal(profile: &Profile, dag: &Dag) -> Goal {
    goal(profile, dag, TARGET, FACTOR, THRESHOLD)
}

/// The goal of advice with these values of its options. `threshold` is the shortest strand, as a
/// multiple of the average cost of a task.
pub(crate) fn goal(profile: &Profile, dag: &Dag, target: f64, factor: f64, threshold: f64) -> Goal {
    let overhead = average_tasking_overhead(profile).as_nanos();
    Goal {
        target,
        factor,
        least_strand: Nanos::from_nanos_f64(threshold * overhead),
        locked: Execution::locked_in(profile, dag),
    }
}
