//! What a sweep measured, as it is kept in a file.

use serde::{Deserialize, Serialize};

use super::{RunKind, SweepMachine, SweepRun};
use crate::{Nanos, RuntimeKind};

/// The version of [`Sweep`] that this crate writes and reads.
pub const SWEEP_VERSION: u32 = 1;

/// Runs of one program on several numbers of threads, and how they were made.
///
/// Runs are in the order in which they were made, warm-ups and failed ones among them. Nothing that follows depends on
/// that order. An interrupted sweep is the same with fewer runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// [`SWEEP_VERSION`].
    pub version: u32,
    /// The program and its arguments, as given: where a run puts in its number of threads, the placeholder is still there.
    pub command: Vec<String>,
    /// What tells the program's file from that of another build, where it could be read.
    #[serde(default)]
    pub program_digest: Option<String>,
    /// The sequential program that the parallel one is compared with (T_s), and its arguments.
    #[serde(default)]
    pub baseline: Option<Vec<String>>,
    /// The same as `program_digest`, of the baseline's file.
    #[serde(default)]
    pub baseline_digest: Option<String>,
    /// The environment variable that told runs their number of threads; `None` if only the arguments did.
    #[serde(default)]
    pub threads_variable: Option<String>,
    /// The parallel runtime of the program, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<RuntimeKind>,
    /// The file of the runtime that all runs had in the place of the program's own, which cannot tell of idle time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<String>,
    /// Where threads were put.
    #[serde(default)]
    pub pinning: Pinning,
    /// What each run was started with, where it was not started directly, such as `srun -n1 -c {threads}`.
    #[serde(default)]
    pub launcher: Option<String>,
    /// The machine.
    pub machine: SweepMachine,
    /// When the sweep began, in seconds since 1970-01-01 UTC.
    pub started_at: u64,
    /// The numbers of threads to be measured, in ascending order.
    pub threads: Vec<u32>,
    /// How many runs each of them was to get at most, warm-ups not counted.
    pub runs_wanted: u32,
    /// What the order of the runs was shuffled by.
    #[serde(default)]
    pub seed: u64,
    /// Version of workspan that made the sweep.
    pub workspan_version: String,
    /// All runs so far.
    pub runs: Vec<SweepRun>,
}

/// Where the threads of a run were put.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pinning {
    /// Wherever the system put them.
    #[default]
    None,
    /// On the physical cores of one socket before those of the next.
    Compact,
    /// On physical cores of all sockets in turn.
    Spread,
}

impl Pinning {
    /// The name that options and files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Compact => "compact",
            Self::Spread => "spread",
        }
    }
}

impl Sweep {
    /// The runs of `kind` on `threads` threads that count.
    pub fn counted(&self, kind: RunKind, threads: u32) -> impl Iterator<Item = &SweepRun> {
        self.runs
            .iter()
            .filter(move |run| run.counts() && run.kind == kind && run.threads == threads)
    }

    /// The numbers of threads that runs of `kind` count for, in ascending order.
    pub fn measured_threads(&self, kind: RunKind) -> Vec<u32> {
        let runs = self.runs.iter();
        let runs = runs.filter(|run| run.counts() && run.kind == kind);
        let mut threads: Vec<u32> = runs.map(|run| run.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        threads
    }

    /// The times of the runs of `kind` on `threads` threads that count; `None` if there are none.
    pub fn times(&self, kind: RunKind, threads: u32) -> Option<Vec<Nanos>> {
        let times: Vec<Nanos> = self.counted(kind, threads).map(|run| run.elapsed).collect();
        (!times.is_empty()).then_some(times)
    }

    /// The times of the runs of `kind` that count, whatever number of threads they were told; `None` if there are none.
    pub fn times_of_all(&self, kind: RunKind) -> Option<Vec<Nanos>> {
        let runs = self.runs.iter();
        let runs = runs.filter(|run| run.counts() && run.kind == kind);
        let times: Vec<Nanos> = runs.map(|run| run.elapsed).collect();
        (!times.is_empty()).then_some(times)
    }
}
