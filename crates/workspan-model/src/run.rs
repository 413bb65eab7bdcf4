//! The profiled run.

use serde::{Deserialize, Serialize};

use crate::runtime::runtimes_of_any_version;
use crate::{BurdenSource, Metric, Nanos, Runtime};

/// How the program was run and how it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How the program ended.
    pub exit: Exit,
    /// When it was started, in seconds since 1970-01-01 UTC.
    pub started_at: u64,
    /// From the start of the process to the writing of the profile: a time.
    pub elapsed: Nanos,
    /// The parallel runtimes that the program used, as far as they told of themselves. Files of older versions have the
    /// version of rayon-core in their place.
    #[serde(
        default,
        alias = "rayon_core_version",
        deserialize_with = "runtimes_of_any_version"
    )]
    pub runtimes: Vec<Runtime>,
    /// Real size of the default thread pool, of OpenMP the most threads of a team; 0 when none was started.
    pub threads: u32,
    /// What `current_num_threads` answered in pools of default size; 0 when nothing asked.
    pub assumed_cores: u32,
    /// What the amounts of the profile are of. Files of before there was a choice are of time.
    #[serde(default)]
    pub metric: Metric,
    /// The clock that was read: `tsc`, `monotonic`, `thread`, `counter` or `virtual`.
    pub clock: String,
    /// Why not the better clock, or what limits this one.
    pub clock_note: Option<String>,
    /// Cost of moving a task, added on every edge that can be stolen (Cilkview §3).
    pub burden: Nanos,
    /// Where that cost comes from, where known.
    #[serde(default)]
    pub burden_source: Option<BurdenSource>,
    /// Tasks that were still running when the profile was written.
    pub unfinished_tasks: u64,
    /// Whether the profile is of a part of the run: a signal ended it early, or it has not ended.
    pub interrupted: bool,
    /// Whether the program went on after the profile was written; `None` in files that do not tell.
    #[serde(default)]
    pub still_running: Option<bool>,
    /// Whether the call tree hit its size limit, so that some sites count at their callers.
    pub truncated_tree: bool,
    /// Time in which threads were ready but off the processor, taken off the strands; none of a metric that is no time.
    pub off_processor: Nanos,
    /// The profiler's own cost, taken off the strands.
    pub own_cost: Nanos,
    /// Version of workspan that made the profile.
    pub workspan_version: String,
}

impl Run {
    /// Whether the program went on after the profile was written. A file that does not tell is of a program that did if it is
    /// of a part of the run, and no failure.
    pub fn is_still_running(&self) -> bool {
        self.still_running
            .unwrap_or(self.interrupted && self.exit == Exit::Code(0))
    }

    /// Whether a second run of a deterministic program gives the same figures: the clock counts what the program does, and
    /// nothing of the machine.
    pub fn repeats_exactly(&self) -> bool {
        match self.clock.as_str() {
            "virtual" => true,
            // Which of several threads takes a task is the schedule's.
            "emulated" => self.threads <= 1,
            _ => false,
        }
    }

    /// Whether the profile is of a whole run that succeeded, so that its figures are those of the program.
    pub fn is_whole(&self) -> bool {
        !self.interrupted && self.exit == Exit::Code(0) && self.unfinished_tasks == 0
    }

    /// Whether a counter had its place in the processor part of the time only, by which the rest is estimated.
    pub fn counts_are_estimates(&self) -> bool {
        self.clock == "counter" && self.clock_note.is_some()
    }

    /// Whether amounts are times, and not counts.
    pub fn is_of_time(&self) -> bool {
        self.metric.is_time()
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// By itself, with this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}
