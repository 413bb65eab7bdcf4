//! The profiled run.

pub(crate) mod lock;
pub(crate) mod machine;
pub(crate) mod runtime;
pub(crate) mod samples;
pub(crate) mod site;
pub(crate) mod timeline;
pub(crate) mod tree;
pub(crate) mod waits;

use serde::{Deserialize, Serialize};

use crate::{BurdenSource, Metric, Nanos, NodeId, Runtime, SiteId, Span, Work};
use runtime::runtimes_of_any_version;

/// How the program was run and how it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How the program ended.
    pub exit: Exit,
    /// When it was started, in seconds since 1970-01-01 UTC.
    pub started_at: u64,
    /// From the start of the process to the writing of the profile; a time whatever the metric.
    pub elapsed: Nanos,
    /// What the process had of the processors until then; `None` if not measured, as in files from
    /// before it was, and where amounts are not times of the machine's clock.
    #[serde(default)]
    pub processors: Option<ProcessorUse>,
    /// The parallel runtimes that the program used, as far as they reported themselves. Older files
    /// have the version of rayon-core in their place.
    #[serde(
        default,
        alias = "rayon_core_version",
        deserialize_with = "runtimes_of_any_version"
    )]
    pub runtimes: Vec<Runtime>,
    /// Actual size of the default thread pool; for OpenMP, the size of the largest team. 0 if none
    /// was started. For a program without a runtime, the most threads that were seen at once, if
    /// more than one.
    pub threads: u32,
    /// Why the threads that the program may have started were not measured, where they should have
    /// been.
    #[serde(default)]
    pub threads_unmeasured: Option<String>,
    /// What `current_num_threads` returned in pools of default size; 0 if nothing called it.
    pub assumed_cores: u32,
    /// What the amounts of the profile measure. Files from before there was a choice measure time.
    #[serde(default)]
    pub metric: Metric,
    /// What a second run showed, without assumed cores; `None` if there was none.
    #[serde(default)]
    pub real_cut: Option<RealCut>,
    /// Pairs of runs without a profile, on one processor and on all; none where none were made.
    #[serde(default)]
    pub plain: Vec<PlainPair>,
    /// The clock that was read: `tsc`, `monotonic`, `thread`, `counter` or `virtual`.
    pub clock: String,
    /// Why the better clock was not used, or what limits this one.
    pub clock_note: Option<String>,
    /// Cost of moving a task, added on every edge that can be stolen (Cilkview §3).
    pub burden: Nanos,
    /// Where that cost comes from, if known.
    #[serde(default)]
    pub burden_source: Option<BurdenSource>,
    /// Tasks that were still running when the profile was written.
    pub unfinished_tasks: u64,
    /// Whether the profile covers only part of the run: a signal ended it early, or it has not
    /// ended.
    pub interrupted: bool,
    /// Whether the program continued after the profile was written; `None` in files that do not
    /// record it.
    #[serde(default)]
    pub still_running: Option<bool>,
    /// Whether the call tree hit its size limit, so that some sites count at their callers.
    pub truncated_tree: bool,
    /// Time that threads were ready but off the processor, subtracted from the strands; 0 if the
    /// metric is not a time.
    pub off_processor: Nanos,
    /// The profiler's own cost, subtracted from the strands.
    pub own_cost: Nanos,
    /// Version of workspan that wrote the profile.
    pub workspan_version: String,
}

impl Run {
    /// Whether the program continued after the profile was written. If the file does not record it,
    /// it is taken to have done so if the profile covers only part of the run and the program did
    /// not fail.
    pub fn is_still_running(&self) -> bool {
        self.still_running
            .unwrap_or(self.interrupted && self.exit == Exit::Code(0))
    }

    /// Whether a second run of a deterministic program gives the same figures: the clock counts
    /// only what the program does, independently of the machine.
    pub fn repeats_exactly(&self) -> bool {
        match self.clock.as_str() {
            "virtual" => true,
            // With several threads, the schedule decides which of them takes a task.
            "emulated" => self.threads <= 1,
            _ => false,
        }
    }

    /// Whether the profile covers a whole run that succeeded, so that its figures are those of the
    /// program.
    pub fn is_whole(&self) -> bool {
        !self.interrupted && self.exit == Exit::Code(0) && self.unfinished_tasks == 0
    }

    /// Whether a hardware counter was active only part of the time, so that the rest is
    /// extrapolated.
    pub fn counts_are_estimates(&self) -> bool {
        self.clock == "counter" && self.clock_note.is_some()
    }

    /// Whether amounts are times rather than counts.
    pub fn is_of_time(&self) -> bool {
        self.metric.is_time()
    }
}

/// What a process had of the processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessorUse {
    /// For how long its threads ran, in the program and in the kernel.
    pub used: Nanos,
    /// For how long its threads were ready and did not run; without those that had ended. `None`
    /// where the kernel keeps no account.
    pub queued: Option<Nanos>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// A signal ended it.
    Signal(i32),
}

/// What a second run showed, in which no cores were assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RealCut {
    /// Its work.
    pub work: Work,
    /// The site whose own strands' work differs most; a site of the profile.
    pub site: SiteId,
    /// The work of that site's own strands in the second run.
    pub site_work: Work,
}

/// How long one run on all processors took, and one on a single processor right beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlainPair {
    /// On one processor, with one thread in pools of default size.
    pub one: Nanos,
    /// On all processors.
    pub all: Nanos,
}

/// How closely the strands were timed, and how uncertain that makes the span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Where the clock was read.
    pub kind: TimingKind,
    /// How far the true span may be from the one given, on either side.
    pub span_open: Nanos,
    /// How far the true burdened span may be from the one given, on either side.
    pub burdened_span_open: Nanos,
    /// The part of the work that was timed in shared stretches.
    pub shared_work: Work,
}

named! {
    /// Where the clock was read.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum TimingKind {
        /// At every boundary between strands.
        #[default]
        Exact = "exact",
        /// Around subtrees of tiny tasks, whose time is divided evenly among their strands.
        Shared = "shared",
    }
}

/// One of the engine's counts of its own operations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineCount {
    /// What was counted, in snake_case. Unless the value is a plain number, the name ends in its
    /// unit (`write_nanos`, `thread_bytes`).
    pub name: String,
    /// The count.
    pub value: i64,
}

/// One execution of a region: everything that Cilkview reports for a whole program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionInstance {
    /// The region's node of the call tree.
    pub node: NodeId,
    /// The number of this instance among those of the node, from 0, in the order in which they
    /// ended.
    pub number: u64,
    /// When it began, relative to the program's start.
    pub start: Nanos,
    /// Its work, including everything that it waits for.
    pub work: Work,
    /// Its span.
    pub span: Span,
    /// Its span with the burden added on every edge that can be stolen.
    pub burdened_span: Span,
    /// How far both spans may be off, on either side.
    pub open: Nanos,
    /// Tasks created in it.
    pub spawns: u64,
    /// Waits for tasks in it.
    pub syncs: u64,
}
