//! The settings of a comparison, which the command passes to the runner.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Results;

/// How to compare the executions of a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// The number of rounds, each with one run of each execution.
    pub(crate) rounds: u32,
    /// The number of threads of the parallel runs.
    pub(crate) threads: u32,
    /// The smallest inflation to report, as a ratio.
    pub(crate) least: f64,
    /// The seed for the order of the runs.
    pub(crate) seed: u64,
    /// The file for the runs, if the user named one.
    pub(crate) file: Option<PathBuf>,
    pub(crate) results: Results,
}
