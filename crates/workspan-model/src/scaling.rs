//! What a sweep over numbers of threads says of a program: measured speedups, factored speedups, memory bandwidth.
//!
//! A [`Sweep`] holds runs of the uninstrumented program. [`scaling`] lays their speedups over the bounds and the prediction of
//! a profile (Cilkview §4), [`factored`] splits what is lost into overheads, idle time and work inflation (Acar, Charguéraud
//! and Rainey, "Parallel Work Inflation, Memory Effects, and their Empirical Analysis", §2), [`bandwidth`] compares copies of
//! the program that run at once with one alone (Cilkview §5).

mod bandwidth;
mod bootstrap;
mod cause;
mod curvature;
mod estimate;
mod expected;
mod factored;
mod factored_error;
mod gap;
mod lacked;
mod machine;
mod measured;
mod order_statistics;
mod phases;
mod run;
mod sweep;
mod timeline;
mod times;

pub use bandwidth::{Bandwidth, BandwidthPoint, BandwidthVerdict, bandwidth};
pub use cause::SlowdownCause;
pub use curvature::Curvature;
pub use estimate::{CONFIDENCE, DerivedTime, RatioEstimate, TimeEstimate};
pub use expected::ExpectedScaling;
pub use factored::{Factored, FactoredCurve, FactoredPoint, Imbalance, factored};
pub use factored_error::FactoredError;
pub use gap::{Gap, LostTo};
pub use lacked::LackedProcessors;
pub use machine::{Condition, SweepMachine};
pub use measured::{FailedRuns, Scaling, ScalingPoint, scaling};
pub(crate) use order_statistics::median_interval_of;
pub use phases::{WorkerActivity, WorkerPhase};
pub use run::{BALANCE_TOLERANCE, IdlePhase, RunKind, SweepRun, Worker, Workers};
pub use sweep::{Pinning, SWEEP_VERSION, Sweep};
pub use timeline::{IdleTimeline, WorkerTimeline};
