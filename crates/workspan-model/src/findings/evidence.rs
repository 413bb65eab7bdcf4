//! The figures that support a diagnosis.

use serde::Serialize;

use super::Diagnosis;
use crate::{InflationCause, Nanos, PairedRatio};

/// The figures of a profile that support a diagnosis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Evidence {
    /// See [`Diagnosis::InsufficientParallelism`].
    InsufficientParallelism {
        /// Parallelism of the whole program.
        parallelism: f64,
        /// Parallelism of the construct's instances, including everything that they run; `None` if
        /// the profile does not record it.
        #[serde(rename = "site_parallelism")]
        of_site: Option<f64>,
        /// The share of the span that the construct's own code has.
        span_share: f64,
    },
    /// See [`Diagnosis::FineTasks`].
    FineTasks {
        /// Tasks that the site creates.
        tasks: u64,
        /// Average work of a task, counting only the construct's own strands.
        #[serde(rename = "task_amount", serialize_with = "Nanos::serialize_shown")]
        task: Nanos,
        /// Cost of creating and scheduling them, as a share of the program's work; `None` if the
        /// runtime's costs are not known.
        #[serde(rename = "tasking_overhead")]
        overhead: Option<f64>,
        /// Parallelism of the program.
        parallelism: f64,
        /// The same, including the cost of moving tasks.
        burdened_parallelism: f64,
    },
    /// See [`Diagnosis::SerialCode`].
    SerialCode {
        /// How long the code runs alone.
        #[serde(rename = "time_amount", serialize_with = "Nanos::serialize_shown")]
        time: Nanos,
        /// `time` as a share of the span.
        span_share: f64,
        /// `time` as a share of the work.
        work_share: f64,
    },
    /// See [`Diagnosis::SkewedChildren`].
    SkewedChildren(SkewedBy),
    /// See [`Diagnosis::ManySteals`].
    ManySteals {
        /// Tasks that were stolen.
        stolen: u64,
        /// Tasks that were created.
        tasks: u64,
        /// Average work of a task.
        #[serde(rename = "task_amount", serialize_with = "Nanos::serialize_shown")]
        task: Nanos,
        /// The cost of these steals at the run's burden, as a share of the program's work.
        #[serde(rename = "steal_cost")]
        cost: f64,
    },
    /// See [`Diagnosis::Serialised`].
    Serialised(Serialisation),
    /// See [`Diagnosis::FewTasks`].
    FewTasks {
        /// The average number of tasks at a time.
        tasks: f64,
        /// The share of the span that the construct's own code has.
        span_share: f64,
    },
    /// See [`Diagnosis::OverSplitting`].
    OverSplitting {
        /// The average number of tasks that a loop is split into.
        tasks: f64,
        /// The number of tasks that would keep every core busy, given how often a part was stolen.
        #[serde(rename = "enough_tasks")]
        enough: f64,
        /// Average work of a task, counting only the construct's own strands.
        #[serde(rename = "task_amount", serialize_with = "Nanos::serialize_shown")]
        task: Nanos,
        /// The parallel loop around it that by itself has enough tasks for the cores, as an index
        /// into the site rows.
        #[serde(rename = "inside_site")]
        inside: Option<usize>,
        /// Cost of creating and scheduling them, as a share of the program's work.
        #[serde(rename = "tasking_overhead")]
        overhead: f64,
    },
    /// See [`Diagnosis::SerialisingLock`].
    SerialisingLock {
        /// How long the lock was held.
        #[serde(rename = "held_amount", serialize_with = "Nanos::serialize_shown")]
        held: Nanos,
        /// `held` as a share of the program's work.
        work_share: f64,
        /// How long it was held from this site.
        #[serde(rename = "held_here_amount", serialize_with = "Nanos::serialize_shown")]
        here: Nanos,
        /// How many sites acquire it.
        places: usize,
        /// How often it was acquired.
        acquisitions: u64,
        /// How many of these had to wait.
        waits: u64,
        /// How long all acquisitions took.
        #[serde(rename = "waited_ns", serialize_with = "Nanos::serialize_shown")]
        waited: Nanos,
        /// The greatest speedup over one core that the lock allows, on any number of cores.
        most_speedup: f64,
        /// Parallelism of the program, which does not take locks into account.
        parallelism: f64,
    },
    /// See [`Diagnosis::WorkInflation`] and, if a counter shows the cause, the diagnoses after it.
    #[serde(skip)]
    Inflated {
        /// The work relative to that of the oracle runs.
        inflation: PairedRatio,
        /// The same for its part of the critical path, if that was looked up.
        on_path: Option<PairedRatio>,
        /// How much more work that is.
        more: Nanos,
        /// The share of the parallel work that the code has.
        work_share: f64,
        /// The share of the span that it has.
        span_share: f64,
        /// Threads of the parallel runs.
        threads: u32,
        /// How many of the measured counters can show a cause.
        counters: usize,
        /// The one that shows it.
        counter: Option<InflatedCounter>,
    },
}

/// A counter that shows why work is inflated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InflatedCounter {
    /// The cause that it shows.
    pub cause: InflationCause,
    /// The metric, as an index into those of the inflation.
    pub metric: usize,
    /// The number of events relative to the oracle runs.
    pub inflation: PairedRatio,
    /// How many more events that is.
    pub more: f64,
}

/// How it shows that one branch has nearly all of the work.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SkewedBy {
    /// The critical path goes through many more instances than if the branches were balanced.
    Depth {
        /// The average number of nested instances on the critical path.
        depth: f64,
        /// The same if each branch had half of the work: log₂ of the tasks.
        #[serde(rename = "balanced_depth")]
        balanced: f64,
        /// Tasks.
        tasks: f64,
    },
    /// One piece of a parallel iterator takes much longer than the average.
    Pieces {
        /// The piece that the span waits for, averaged over the loops on the critical path.
        #[serde(
            rename = "longest_task_amount",
            serialize_with = "Nanos::serialize_shown"
        )]
        longest: Nanos,
        /// How long it would take if all pieces took the same.
        #[serde(rename = "even_task_amount", serialize_with = "Nanos::serialize_shown")]
        even: Nanos,
    },
}

/// What makes tasks run one after another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Serialisation {
    /// A `par_bridge`.
    Bridge {
        /// Its share of the span, including everything that its items run.
        span_share: f64,
    },
    /// Waits: a lock, input, sleep.
    Waits {
        /// How long strands waited.
        #[serde(rename = "blocked_ns", serialize_with = "Nanos::serialize_shown")]
        blocked: Nanos,
        /// `blocked` as a share of the time of the construct's own code.
        #[serde(rename = "blocked_share")]
        share: f64,
    },
}

impl Evidence {
    /// The diagnosis that the evidence supports.
    pub const fn diagnosis(&self) -> Diagnosis {
        match self {
            Self::InsufficientParallelism { .. } => Diagnosis::InsufficientParallelism,
            Self::FineTasks { .. } => Diagnosis::FineTasks,
            Self::SerialCode { .. } => Diagnosis::SerialCode,
            Self::SkewedChildren(_) => Diagnosis::SkewedChildren,
            Self::ManySteals { .. } => Diagnosis::ManySteals,
            Self::Serialised(_) => Diagnosis::Serialised,
            Self::FewTasks { .. } => Diagnosis::FewTasks,
            Self::OverSplitting { .. } => Diagnosis::OverSplitting,
            Self::SerialisingLock { .. } => Diagnosis::SerialisingLock,
            Self::Inflated { counter, .. } => match counter {
                None => Diagnosis::WorkInflation,
                Some(counter) => match counter.cause {
                    InflationCause::Coherence => Diagnosis::FalseSharing,
                    InflationCause::RemoteMemory => Diagnosis::RemoteMemory,
                    InflationCause::LastLevelMisses => Diagnosis::WorkingSet,
                },
            },
        }
    }
}
