//! Runs of one program with one worker and in parallel.

use serde::{Deserialize, Serialize};

use super::PathLookup;
use crate::{Machine, Nanos, Profile, RunFigures, RuntimeKind};

/// Version of the file that keeps a [`Differential`].
pub const DIFFERENTIAL_VERSION: u32 = 1;

/// Runs of one program with one worker and in parallel, in rounds of one each for every metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Differential {
    /// Version of the file: [`DIFFERENTIAL_VERSION`].
    pub differential_version: u32,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The parallel runtime that it uses, if known.
    pub runtime: Option<RuntimeKind>,
    /// Threads of the parallel runs.
    pub threads: u32,
    /// Where they ran.
    pub machine: Machine,
    /// When the first run was started, in seconds since 1970-01-01 UTC.
    pub started_at: u64,
    /// The seed by which the order within each round was shuffled.
    pub seed: u64,
    /// The least inflation worth reporting, as a ratio.
    pub least: f64,
    /// Version of workspan that made the runs.
    pub workspan_version: String,
    /// The runs that succeeded, in the order in which they ran.
    pub runs: Vec<DifferentialRun>,
}

/// The figures of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DifferentialRun {
    /// What was measured. For metrics other than `time`, the times in the figures are counts.
    pub metric: String,
    /// The round, from 1.
    pub round: u32,
    /// Which of the two executions it was.
    pub execution: ExecutionKind,
    /// The number of its threads.
    pub threads: u32,
    /// Time that threads were ready but off the processor, subtracted from the strands.
    pub off_processor: Nanos,
    /// Whether it counted only part of the time, so that the rest is extrapolated.
    #[serde(default)]
    pub is_estimate: bool,
    /// Its totals and its site rows.
    pub figures: RunFigures,
    /// What its critical path takes in another run, if both recorded their task dags: for a
    /// parallel run in the oracle run of its round, for an oracle run in that of the previous
    /// round.
    #[serde(default)]
    pub path: Option<PathLookup>,
}

named! {
    /// The number of workers with which a program was run.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ExecutionKind {
        /// One, without interference.
        Oracle = "oracle",
        /// Several.
        Parallel = "parallel",
    }
}

impl Differential {
    /// Whether the parts fit together, as [`inflation`](super::inflation) requires: a file may be
    /// damaged.
    ///
    /// # Errors
    /// What does not fit together.
    pub fn check(&self) -> Result<(), String> {
        for (number, run) in (1..).zip(&self.runs) {
            // Every round has a run, except one in which a run failed, and no round comes after
            // that.
            if run.round as usize > self.runs.len() {
                return Err(format!("run {number} is of round {}", run.round));
            }
            let rows = run.figures.sites.len();
            let parts = run
                .path
                .iter()
                .flat_map(|path| path.own.iter().chain(&path.whole));
            if let Some(part) = parts.into_iter().find(|part| part.row >= rows) {
                return Err(format!(
                    "the critical path of run {number} has row {}, of {rows}",
                    part.row
                ));
            }
        }
        Ok(())
    }

    /// The metrics that were measured, in the order of their first runs.
    pub fn metrics(&self) -> Vec<&str> {
        let mut metrics: Vec<&str> = Vec::new();
        for run in &self.runs {
            if !metrics.contains(&run.metric.as_str()) {
                metrics.push(&run.metric);
            }
        }
        metrics
    }

    /// The index of a run of a round.
    pub(super) fn run_of(
        &self,
        metric: &str,
        round: u32,
        execution: ExecutionKind,
    ) -> Option<usize> {
        self.runs.iter().position(|run| {
            (run.metric.as_str(), run.round, run.execution) == (metric, round, execution)
        })
    }
}

impl DifferentialRun {
    /// The run with this profile.
    ///
    /// # Panics
    /// If the profile is not valid.
    pub fn new(
        profile: &Profile,
        metric: &str,
        round: u32,
        execution: ExecutionKind,
        path: Option<PathLookup>,
    ) -> Self {
        Self {
            metric: metric.to_owned(),
            round,
            execution,
            threads: profile.run.threads,
            off_processor: profile.run.off_processor,
            is_estimate: profile.run.counts_are_estimates(),
            figures: RunFigures::new(profile),
            path,
        }
    }
}
