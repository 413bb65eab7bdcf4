//! Several runs of one program.

use serde::{Deserialize, Serialize};

use crate::{SiteRow, Totals};

/// Several runs of one program, one of which is the profile that contains this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repetition {
    /// The figures of every run, in the order in which they ran.
    pub runs: Vec<RunFigures>,
    /// The index of the run that the profile shows.
    pub shown: usize,
}

/// The figures of one of several runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFigures {
    /// When it was started, in seconds since 1970-01-01 UTC.
    pub started_at: u64,
    /// Its totals.
    pub totals: Totals,
    /// Its site rows.
    pub sites: Vec<SiteRow>,
}
