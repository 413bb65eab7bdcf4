//! What the command tells the wrapper and the runner, which cargo starts much later: one JSON
//! object in the environment.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use workspan_model::BurdenSource;

use crate::inflate;
use crate::outputs::Outputs;
use crate::symbols::Places;

/// Environment variable that carries the session.
pub(crate) const VARIABLE: &str = "WORKSPAN_SESSION";

/// The settings of one `cargo workspan` command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Session {
    /// workspan's folder: `<target dir>/workspan`.
    pub(crate) home: PathBuf,
    /// Which of cargo's commands runs.
    pub(crate) kind: Kind,
    /// Process id of the command, which is cargo's as well.
    pub(crate) process: u32,
    /// What the paths of source files are shown relative to.
    pub(crate) places: Places,
    /// Value of `RUSTC_WRAPPER` that the program is to see, the user's own.
    pub(crate) inherited_wrapper: Option<String>,
    /// The user's own rustc wrapper.
    pub(crate) wrapper: Option<PathBuf>,
    /// The user's own runners, by target triple: program and arguments.
    pub(crate) runners: BTreeMap<String, Vec<String>>,
    /// How to measure.
    pub(crate) measure: Measure,
    /// The same for every further metric.
    pub(crate) others: Vec<Measure>,
    /// How often the program is run.
    pub(crate) runs: u32,
    /// That the program is run by one worker and in parallel, and both are compared.
    pub(crate) inflate: Option<inflate::Settings>,
    /// Where the results go.
    pub(crate) outputs: Outputs,
}

/// The cargo command that a session stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    Run,
    Test,
    Bench,
}

/// How the program is measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Measure {
    /// What pools of default size claim as their size; 0 = the real size.
    pub(crate) assumed_cores: u32,
    /// Real size of pools of default size; 0 = rayon's default.
    pub(crate) threads: u32,
    /// What is measured of strands, by its name.
    pub(crate) metric: String,
    /// Cost of a migration, as the engine reads it: `15000cycles` or `6250ns`, or a number of events of the metric.
    pub(crate) burden: String,
    /// Where that cost comes from.
    pub(crate) burden_source: BurdenSource,
    /// `tsc` or `monotonic`; the engine chooses if absent.
    pub(crate) clock: Option<String>,
    /// Whether the clock is read at every boundary, tiny tasks or not.
    pub(crate) exact: bool,
    /// Grain of the record of the task dag, in nanoseconds or events of the metric; 0: every strand. Absent: nothing is recorded.
    pub(crate) record_grain: Option<u64>,
    /// How many bytes the record may have.
    pub(crate) record_bytes: u64,
    /// Whether the program runs under an emulator that counts instructions.
    pub(crate) emulate: bool,
    /// Whether the program's clock stands still there.
    pub(crate) still_clock: bool,
    /// Samples in a second of each thread's processor time; 0 = none.
    pub(crate) sample_rate: u32,
    /// Whether functions are measured exactly: those of at least so many bytes.
    pub(crate) function_bytes: Option<u32>,
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
    /// Reads the session that the command left in the environment.
    pub(crate) fn from_environment() -> Result<Self, SessionError> {
        let text = env::var(VARIABLE).map_err(|_| SessionError::Missing)?;
        Ok(serde_json::from_str(&text)?)
    }

    /// Value of the environment variable for this session.
    pub(crate) fn to_variable(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// Folder of the links to this executable.
    pub(crate) fn links(&self) -> PathBuf {
        self.home.join("bin")
    }

    /// Folder of the raw profiles that are being written, one folder a session.
    pub(crate) fn raw_profiles(&self) -> PathBuf {
        raw_profiles_of(&self.home).join(self.process.to_string())
    }
}

/// Folder of the sessions' folders of raw profiles.
pub(crate) fn raw_profiles_of(home: &Path) -> PathBuf {
    home.join("profiles")
}
