//! What the command tells the runner, which cargo may start much later.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Results;

/// How to compare the executions of a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// Rounds of one run of each execution.
    pub(crate) rounds: u32,
    /// Threads of the parallel runs.
    pub(crate) threads: u32,
    /// The least inflation that is worth telling, as a ratio.
    pub(crate) least: f64,
    /// What the order of the runs is shuffled by.
    pub(crate) seed: u64,
    /// The file to keep the runs in, if the user named one.
    pub(crate) file: Option<PathBuf>,
    pub(crate) results: Results,
}
