//! What a diagnosis of a profile says.

use std::cmp::Ordering;

use super::gain::Expectation;
use super::{Diagnosis, Evidence, Gain};
use crate::Change;

/// A change that promises less than this is not reported: figures vary by as much from run to run.
pub(crate) const LEAST_GAIN: f64 = 1.1;

/// A diagnosis of a profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The figures of this profile that support it.
    pub evidence: Evidence,
    /// Where: the site, as an index into the site rows.
    pub row: usize,
    /// The function or region within the site's code that runs most of its span, as an index into
    /// the site rows, if calls were measured or regions named.
    pub within: Option<usize>,
    /// The function that makes up the span, as an index into the rows of functions, if samples show
    /// one.
    pub function: Option<usize>,
    /// What the change can bring.
    pub gain: Gain,
    /// The change of the task dag that represents the remedy, if the gain follows from it.
    pub change: Option<Change>,
}

impl Finding {
    /// What was diagnosed.
    pub const fn diagnosis(&self) -> Diagnosis {
        self.evidence.diagnosis()
    }
}

/// What a diagnosis says about a subject: the evidence, and the expectation after the change.
pub(super) type Diagnosed = (Evidence, Expectation);

/// Sorts findings in descending order of the most that they can gain, then by row.
pub(crate) fn sort_by_gain(findings: &mut [Finding]) {
    findings.sort_by(|one, other| {
        let by_gain = other.gain.factor.high.partial_cmp(&one.gain.factor.high);
        by_gain
            .unwrap_or(Ordering::Equal)
            .then(one.row.cmp(&other.row))
    });
}
