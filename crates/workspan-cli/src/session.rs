//! The settings that the command passes to the wrapper and the runner, which cargo starts much
//! later: one JSON object in an environment variable.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::inflate;
use crate::kept;
use crate::measure::Measure;
use crate::outputs::Outputs;
use crate::process::SESSION as VARIABLE;
use crate::sweep;
use crate::symbols::Places;

/// The settings of one `cargo workspan` command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Session {
    /// workspan's folder: `<target dir>/workspan`.
    pub(crate) home: PathBuf,
    /// The cargo command that runs.
    pub(crate) kind: Kind,
    /// Process id of the command.
    pub(crate) process: u32,
    /// The folders that paths of source files are shown relative to.
    pub(crate) places: Places,
    /// The user's own value of `RUSTC_WRAPPER`, for the program to see.
    pub(crate) inherited_wrapper: Option<String>,
    /// The user's own rustc wrapper.
    pub(crate) wrapper: Option<PathBuf>,
    /// The user's own runners, by target triple: program and arguments.
    pub(crate) runners: BTreeMap<String, Vec<String>>,
    /// How to measure each metric, of which there is at least one.
    pub(crate) measures: Vec<Measure>,
    /// How many times to run the program.
    pub(crate) runs: u32,
    /// Set if the program is to run with one worker and in parallel, to compare its work.
    pub(crate) inflate: Option<inflate::Settings>,
    /// Set if the program, which was built as usual, is to run with different numbers of threads.
    pub(crate) sweep: Option<sweep::Settings>,
    pub(crate) outputs: Outputs,
}

/// A cargo command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    Run,
    Test,
    Bench,
}

/// Reasons why the session cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionError {
    #[error(
        "{VARIABLE} is not set: workspan-rustc and workspan-runner are started by \
         `cargo workspan`, not by hand"
    )]
    Missing,
    #[error("{VARIABLE} cannot be read (were two versions of workspan mixed?): {0}")]
    Malformed(#[from] serde_json::Error),
}

impl Session {
    /// Reads the session from the environment.
    pub(crate) fn from_environment() -> Result<Self, SessionError> {
        let text = env::var(VARIABLE).map_err(|_| SessionError::Missing)?;
        Ok(serde_json::from_str(&text)?)
    }

    /// The value of [`VARIABLE`] for this session.
    pub(crate) fn to_variable(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// The folder that keeps what is measured.
    pub(crate) fn kept(&self) -> PathBuf {
        match self.kind {
            Kind::Run => self.home.clone(),
            Kind::Test => self.home.join(kept::TESTS),
            Kind::Bench => self.home.join(kept::BENCHES),
        }
    }

    /// Folder of the links to this executable.
    pub(crate) fn links(&self) -> PathBuf {
        self.home.join("bin")
    }

    /// This session's folder of raw profiles.
    pub(crate) fn raw_profiles(&self) -> PathBuf {
        raw_profiles_of(&self.home).join(self.process.to_string())
    }
}

/// The folder that contains [`Session::raw_profiles`] of every session.
pub(crate) fn raw_profiles_of(home: &Path) -> PathBuf {
    home.join("profiles")
}
