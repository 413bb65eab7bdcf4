//! The measurements of a sweep, as stored in a file.

use serde::{Deserialize, Serialize};

use super::{RunKind, SweepMachine, SweepRun};
use crate::{Nanos, RuntimeKind};

/// The version of [`Sweep`] that this crate writes and reads.
pub const SWEEP_VERSION: u32 = 1;

/// Runs of one program on several numbers of threads, and how they were made.
///
/// Runs are in the order in which they were made, including warm-ups and failed ones; nothing else
/// depends on that order. An interrupted sweep is the same with fewer runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// [`SWEEP_VERSION`].
    pub version: u32,
    /// The program and its arguments, as given: they still contain the placeholder for the number
    /// of threads.
    pub command: Vec<String>,
    /// A digest that distinguishes the program's file from that of another build, if it could be
    /// read.
    #[serde(default)]
    pub program_digest: Option<String>,
    /// The sequential program that the parallel one is compared with (T_s), and its arguments.
    #[serde(default)]
    pub baseline: Option<Vec<String>>,
    /// The same as `program_digest`, for the baseline's file.
    #[serde(default)]
    pub baseline_digest: Option<String>,
    /// The environment variable that set the number of threads of runs; `None` if only the
    /// arguments did.
    #[serde(default)]
    pub threads_variable: Option<String>,
    /// The parallel runtime of the program, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<RuntimeKind>,
    /// The file of the runtime that all runs used in place of the program's own, which cannot
    /// report idle time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<String>,
    /// Where threads were put.
    #[serde(default)]
    pub pinning: Pinning,
    /// The command with which each run was started, if it was not started directly, such as
    /// `srun -n1 -c {threads}`.
    #[serde(default)]
    pub launcher: Option<String>,
    /// The machine.
    pub machine: SweepMachine,
    /// When the sweep began, in seconds since 1970-01-01 UTC.
    pub started_at: u64,
    /// The numbers of threads to be measured, in ascending order.
    pub threads: Vec<u32>,
    /// The most runs planned for each of them, not counting warm-ups.
    pub runs_wanted: u32,
    /// The seed by which the order of the runs was shuffled.
    #[serde(default)]
    pub seed: u64,
    /// Version of workspan that made the sweep.
    pub workspan_version: String,
    /// All runs so far.
    pub runs: Vec<SweepRun>,
}

named! {
    /// Where the threads of a run were put.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Pinning {
        /// Wherever the system put them.
        #[default]
        None = "none",
        /// On the physical cores of one socket before those of the next.
        Compact = "compact",
        /// On the physical cores of all sockets in turn.
        Spread = "spread",
    }
}

impl Sweep {
    /// The runs of `kind` on `threads` threads that count.
    pub fn counted(&self, kind: RunKind, threads: u32) -> impl Iterator<Item = &SweepRun> {
        self.counted_of_kind(kind)
            .filter(move |run| run.threads == threads)
    }

    fn counted_of_kind(&self, kind: RunKind) -> impl Iterator<Item = &SweepRun> {
        let runs = self.runs.iter();
        runs.filter(move |run| run.counts() && run.kind == kind)
    }

    /// The numbers of threads for which a run of `kind` counts, in ascending order.
    pub fn measured_threads(&self, kind: RunKind) -> Vec<u32> {
        let runs = self.counted_of_kind(kind);
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

    /// The times of the runs of `kind` that count, whatever number of threads they were told;
    /// `None` if there are none.
    pub fn times_of_all(&self, kind: RunKind) -> Option<Vec<Nanos>> {
        let runs = self.counted_of_kind(kind);
        let times: Vec<Nanos> = runs.map(|run| run.elapsed).collect();
        (!times.is_empty()).then_some(times)
    }
}
