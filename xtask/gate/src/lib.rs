//! The gates of workspan: the only place where the readings of measuring programs are judged.
//!
//! A *gate* is a figure with a goal, named `suite/subject/figure`, such as `overhead/fib/ratio`.
//! `ci/goals.toml` has the goals, each with a lower and an upper bound; `ci/misses.toml` has the
//! figures that are known to miss theirs. A program takes a fixed number of readings and passes
//! them to [`Gates::judge`], which compares their median and its interval with the bounds:
//!
//! | verdict | when | fails |
//! |---|---|---|
//! | met | the median is within the goal | |
//! | accepted | it misses the goal, by at most what `ci/misses.toml` says plus a quarter | |
//! | undecided | it is outside, but its interval reaches inside | |
//! | unknown | it would fail, but the machine was disturbed meanwhile | |
//! | missed | the whole interval is outside the goal | yes |
//! | worse | the whole interval is beyond an accepted miss by more than a quarter | yes |
//! | obsolete | the whole interval is within the goal of an accepted miss that is not `sometimes` met | yes |
//!
//! ```no_run
//! use workspan_gate::{Form, Gates};
//!
//! let mut gates = Gates::open("overhead", Form::Short)?;
//! let (ratios, machine) = gates.watch(|| Ok([1.02, 1.05, 1.01, 1.04, 1.03]))?;
//! gates.judge("fib/ratio", &ratios, machine)?;
//! std::process::exit(gates.finish()?.into());
//! # Ok::<(), anyhow::Error>(())
//! ```
#![forbid(unsafe_code)]

mod estimate;
mod figure;
mod form;
mod gates;
mod goals;
mod limits;
mod machine;
mod misses;
mod table;
mod verdict;

pub use estimate::Estimate;
pub use form::Form;
pub use gates::{Gates, root};
pub use goals::{Bounds, Goals};
use limits::write_limits;
pub use machine::{Limits, Machine};
pub use misses::{Miss, Misses};
pub use table::{Row, print, read_all};
pub use verdict::Verdict;
