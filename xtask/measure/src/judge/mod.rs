//! Judges figures: the only place where readings become verdicts.
//!
//! A *gate* is a figure with a goal, named `program/subject/figure`, such as `cost/fib/profiled`.
//! `ci/goals.toml` has the goals, each with a lower and an upper bound; `ci/misses.toml` has the
//! figures that are known to miss theirs. A program takes a fixed number of readings, and their
//! median with its interval is compared with the bounds:
//!
//! | verdict | when | fails |
//! |---|---|---|
//! | met | the median is within the goal | |
//! | accepted | it misses the goal, by at most what `ci/misses.toml` says plus a quarter | |
//! | undecided | it is outside, but its interval reaches inside | |
//! | unknown | it would fail, but the machine was disturbed meanwhile | |
//! | missed | the whole interval is outside the goal, and beyond an accepted miss by more than a quarter | yes |
//! | obsolete | the whole interval is within the goal of an accepted miss that is not `sometimes` met | yes |

mod estimate;
mod gates;
mod goals;
mod machine;
mod verdict;

pub(crate) use estimate::{Estimate, geometric_mean};
pub(crate) use gates::{Gates, Row};
pub(crate) use goals::{Bounds, Form, Goals, Misses, short};
pub(crate) use machine::{Limits, Machine, Watch};
pub(crate) use verdict::Verdict;
