//! The settings of a sweep, which cargo may start long after the command that sets them.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};
use workspan_model::Pinning;

use super::launcher::Launcher;
use super::results::Results;
use super::slurm::Slurm;

/// How to measure a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) measured: Measured,
    /// The largest number of runs of each job.
    pub(crate) runs: u32,
    /// The half-width of the interval at which a time is precise enough, as a share of the median.
    pub(crate) precision: f64,
    /// The seed for the order of the runs.
    pub(crate) seed: u64,
    /// The longest time a run may take.
    pub(crate) timeout: Option<Duration>,
    pub(crate) pinning: Pinning,
    /// The variable that sets the program's number of threads. If `None`, it is that of the
    /// runtime, unless the arguments contain the placeholder.
    pub(crate) threads_variable: Option<String>,
    /// Whether to compare what runs print.
    pub(crate) check_output: bool,
    /// The sweep's file, if the user named one.
    pub(crate) file: Option<PathBuf>,
    /// Whether to resume the sweep in that file.
    pub(crate) resume: bool,
    /// The profile that the bounds and the prediction come from.
    pub(crate) profile: Option<PathBuf>,
    /// The folder for workspan's files.
    pub(crate) home: Option<PathBuf>,
    /// The launcher of the runs, if any.
    pub(crate) launcher: Option<Launcher>,
    /// The batch system Slurm, if it makes the runs.
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
        /// Whether to also run these numbers of single-threaded copies at once.
        copies: bool,
    },
    /// These numbers of copies of the program at once, with one thread each.
    Copies(Vec<u32>),
}

/// The additional runs that factored speedups need. Doc comments of the fields are the help texts.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct FactoredRuns {
    /// The sequential program to compare with, and its arguments, as in a shell [default: the
    /// program on one thread]
    #[arg(long, value_name = "COMMAND", requires = "factored")]
    pub(crate) baseline: Option<Words>,
    /// Run the rayon program with all its tasks in place, too: what is left is without any
    /// scheduler. Of an OpenMP program, what is compiled without -fopenmp is that, as --baseline
    #[arg(long, requires = "factored")]
    pub(crate) elision: bool,
    /// Measure the work of one worker for each number of threads, for programs that cut their work
    /// by it
    #[arg(long = "t1-per-p", requires = "factored")]
    pub(crate) one_worker: bool,
    /// LLVM's OpenMP runtime for all runs of an OpenMP program, in the place of its own, as for
    /// `workspan run` [default: the program's own, whose chunks and locks are part of how it
    /// scales]
    #[arg(long, value_name = "FILE", requires = "factored")]
    pub(crate) libomp: Option<PathBuf>,
}

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Words(pub(crate) Vec<String>);

impl FromStr for Words {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match shlex::split(text) {
            Some(words) if !words.is_empty() => Ok(Self(words)),
            Some(_) => Err("a program is expected"),
            None => Err("a quotation mark is not closed"),
        }
    }
}

impl Settings {
    /// The pinning of threads: none on another machine, whose processors are unknown.
    pub(super) fn pinning(&self) -> Pinning {
        if self.runs_elsewhere() {
            Pinning::None
        } else {
            self.pinning
        }
    }

    /// Whether a launcher or Slurm starts the runs, perhaps on another machine.
    pub(super) const fn runs_elsewhere(&self) -> bool {
        self.launcher.is_some() || self.slurm.is_some()
    }
}
