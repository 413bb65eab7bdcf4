//! What the command tells the sweep, which cargo may start much later: one JSON object in the environment.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use serde::{Deserialize, Serialize};
use workspan_model::Pinning;

use super::launcher::Launcher;
use super::results::Results;
use super::slurm::Slurm;

/// Environment variable that carries the settings.
pub(crate) const VARIABLE: &str = "WORKSPAN_SWEEP";

/// How to measure a program again and again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) measured: Measured,
    /// The most runs of each thing that is measured.
    pub(crate) runs: u32,
    /// How narrow half of the interval is to be, as a share of the median.
    pub(crate) precision: f64,
    /// What the order of the runs is shuffled by.
    pub(crate) seed: u64,
    /// How long a run may take.
    pub(crate) timeout: Option<Duration>,
    pub(crate) pinning: Pinning,
    /// Variable that tells the program its number of threads; its runtime's if there is none, and no placeholder.
    pub(crate) threads_variable: Option<String>,
    /// Whether to compare what runs print.
    pub(crate) check_output: bool,
    /// The sweep's file, if the user named one.
    pub(crate) file: Option<PathBuf>,
    /// Whether to go on with what is in it.
    pub(crate) resume: bool,
    /// The profile that the bounds and the prediction come from.
    pub(crate) profile: Option<PathBuf>,
    /// workspan's folder.
    pub(crate) home: Option<PathBuf>,
    /// The user's own runners, by target triple: program and arguments.
    pub(crate) runners: BTreeMap<String, Vec<String>>,
    /// How runs are started elsewhere.
    pub(crate) launcher: Option<Launcher>,
    /// That the batch system Slurm runs all.
    pub(crate) slurm: Option<Slurm>,
    pub(crate) results: Results,
}

/// What is measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Measured {
    /// The program with each of these numbers of threads.
    Threads {
        threads: Vec<u32>,
        factored: Option<FactoredRuns>,
        /// Whether as many copies are run at once, too.
        copies: bool,
    },
    /// These numbers of copies of it at once, of one thread each.
    Copies(Vec<u32>),
}

/// The runs that factored speedups need beside those of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FactoredRuns {
    /// The sequential program, with its arguments.
    pub(crate) baseline: Option<Vec<String>>,
    /// Whether to run the program with its tasks in place.
    pub(crate) elision: bool,
    /// Whether to run it on one worker for each number of threads that it is told.
    pub(crate) one_worker: bool,
    /// The runtime that an OpenMP program is to have.
    pub(crate) libomp: Option<PathBuf>,
}

impl Settings {
    /// Where threads are to be put: elsewhere, the processors are not known.
    pub(super) fn pinning(&self) -> Pinning {
        if self.runs_elsewhere() {
            Pinning::None
        } else {
            self.pinning
        }
    }

    /// Whether something else starts the runs, maybe on another machine.
    pub(super) const fn runs_elsewhere(&self) -> bool {
        self.launcher.is_some() || self.slurm.is_some()
    }

    /// Reads the settings that the command left in the environment.
    pub(super) fn from_environment() -> anyhow::Result<Self> {
        let text = env::var(VARIABLE).map_err(|_| {
            anyhow!("{VARIABLE} is not set: workspan-sweep is started by `cargo workspan scale`, not by hand")
        })?;
        serde_json::from_str(&text).with_context(|| {
            format!("{VARIABLE} cannot be read (were two versions of workspan mixed?)")
        })
    }

    /// Value of the environment variable for these settings.
    pub(crate) fn to_variable(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}
