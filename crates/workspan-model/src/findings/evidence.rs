//! The figures that show a diagnosis.

use super::Diagnosis;
use crate::{InflationCause, Nanos, PairedRatio};

/// The figures of a profile that show a diagnosis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// See [`Diagnosis::InsufficientParallelism`].
    InsufficientParallelism {
        /// Parallelism of the whole program.
        parallelism: f64,
        /// Parallelism of the construct's instances, with all that they run; `None` where the profile does not tell.
        of_site: Option<f64>,
        /// What the site's own code has of the span.
        span_share: f64,
    },
    /// See [`Diagnosis::FineTasks`].
    FineTasks {
        /// Tasks that the site makes.
        tasks: u64,
        /// Work of a task, on average: of the site's own strands.
        task: Nanos,
        /// Cost of making and scheduling them, as a share of the program's work.
        overhead: f64,
        /// Parallelism of the program.
        parallelism: f64,
        /// The same with the cost of moving tasks.
        burdened_parallelism: f64,
    },
    /// See [`Diagnosis::SerialCode`].
    SerialCode {
        /// How long the code runs alone.
        time: Nanos,
        /// This as a share of the span.
        span_share: f64,
        /// And as a share of the work.
        work_share: f64,
    },
    /// See [`Diagnosis::SkewedChildren`].
    SkewedChildren(SkewedBy),
    /// See [`Diagnosis::ManySteals`].
    ManySteals {
        /// Tasks that were stolen.
        stolen: u64,
        /// Tasks that there were.
        tasks: u64,
        /// Work of a task, on average.
        task: Nanos,
        /// What all these steals cost at the run's burden, as a share of the program's work.
        cost: f64,
    },
    /// See [`Diagnosis::Serialised`].
    Serialised(Serialisation),
    /// See [`Diagnosis::FewTasks`].
    FewTasks {
        /// How many tasks there are at a time, on average.
        tasks: f64,
        /// What the site's own code has of the span.
        span_share: f64,
    },
    /// See [`Diagnosis::OverSplitting`].
    OverSplitting {
        /// Tasks that a loop is split into, on average.
        tasks: f64,
        /// Tasks that would keep every core busy, given how often a part was stolen.
        enough: f64,
        /// Work of a task, on average: of the site's own strands.
        task: Nanos,
        /// The parallel loop around it that has enough tasks for the cores by itself, as an index into the site rows.
        inside: Option<usize>,
        /// Cost of making and scheduling them, as a share of the program's work.
        overhead: f64,
    },
    /// See [`Diagnosis::SerialisingLock`].
    SerialisingLock {
        /// For how long the lock was held.
        held: Nanos,
        /// This as a share of the program's work.
        work_share: f64,
        /// For how long it was held from this site.
        here: Nanos,
        /// How many sites acquire it.
        places: usize,
        /// How often it was acquired.
        acquisitions: u64,
        /// How many of these had to wait.
        waits: u64,
        /// How long they waited, all together.
        waited: Nanos,
        /// The program is no more than so many times as fast as on one core, on any number of cores.
        most_speedup: f64,
        /// Parallelism of the program, in which locks do not count.
        parallelism: f64,
    },
    /// See [`Diagnosis::WorkInflation`], and with a counter that tells why, those behind it.
    Inflated {
        /// How many times the work of the oracle runs.
        inflation: PairedRatio,
        /// The same of its part of the critical path, where that was looked up.
        on_path: Option<PairedRatio>,
        /// How much more work that is.
        more: Nanos,
        /// What the code has of the program's work in parallel.
        work_share: f64,
        /// And of the span.
        span_share: f64,
        /// Threads of the parallel runs.
        threads: u32,
        /// How many counters were measured that would tell a cause.
        counters: usize,
        /// The one that tells it.
        counter: Option<InflatedCounter>,
    },
}

/// A counter that tells why work is inflated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InflatedCounter {
    /// What it stands for.
    pub cause: InflationCause,
    /// The metric, as an index into those of the inflation.
    pub metric: usize,
    /// How many times the events of the oracle runs.
    pub inflation: PairedRatio,
    /// How many more events that is.
    pub more: f64,
}

/// How it shows that one branch has nearly all of the work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SkewedBy {
    /// The critical path goes through much more instances than balanced branches would have.
    Depth {
        /// Instances on the critical path, one inside the other, on average.
        depth: f64,
        /// The same if each branch had half: log₂ of the tasks.
        balanced: f64,
        /// Tasks.
        tasks: f64,
    },
    /// One piece of a parallel iterator takes much longer than the average.
    Pieces {
        /// The piece that the span waits for, on average over the loops on the critical path.
        longest: Nanos,
        /// What it would take if all took the same.
        even: Nanos,
    },
}

/// What has tasks run one after another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Serialisation {
    /// A `par_bridge`.
    Bridge {
        /// What the span has of it, with all that its items run.
        span_share: f64,
    },
    /// Waits: a lock, input, sleep.
    Waits {
        /// How long strands waited.
        blocked: Nanos,
        /// This as a share of the time of the site's own code.
        share: f64,
    },
}

impl Evidence {
    /// What it shows.
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
