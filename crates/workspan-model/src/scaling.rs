//! The analysis of a sweep over numbers of threads: measured speedups, factored speedups, memory
//! bandwidth.
//!
//! A [`Sweep`] holds runs of the uninstrumented program. [`scaling`] compares their speedups with
//! the bounds and the prediction of a profile (Cilkview §4), [`factored()`] splits the loss into
//! overheads, idle time and work inflation (Acar, Charguéraud and Rainey, "Parallel Work Inflation,
//! Memory Effects, and their Empirical Analysis", §2), and [`bandwidth()`] compares several copies
//! of the program that run at once with a single one (Cilkview §5).

mod bandwidth;
mod cause;
mod curvature;
mod estimate;
mod factored;
mod factored_point;
mod gap;
mod measured;
mod missing_processors;
mod phases;
mod run;
mod timeline;
mod times;

pub use bandwidth::{Bandwidth, BandwidthPoint, BandwidthVerdict, bandwidth};
pub use cause::SlowdownCause;
pub use curvature::Curvature;
pub use estimate::TimeEstimate;
pub use factored::{Factored, Imbalance, factored};
pub use factored_point::{FactoredCurve, FactoredError, FactoredPoint};
pub use gap::{Gap, LostTo};
pub use measured::{ExpectedScaling, FailedRuns, Scaling, ScalingPoint, scaling};
pub use missing_processors::MissingProcessors;
pub use phases::{WorkerActivity, WorkerPhase};
pub use run::{
    BALANCE_TOLERANCE, Condition, IdlePhase, Pinning, RunKind, SWEEP_VERSION, Sweep, SweepMachine,
    SweepRun, Worker, Workers,
};
pub use timeline::{IdleTimeline, WorkerTimeline};
