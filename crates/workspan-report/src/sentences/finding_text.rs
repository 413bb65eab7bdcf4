//! The sentences that all findings have.

use serde_json::Value;
use workspan_model::{EstimatedBy, Finding, Metric};

use crate::figures::{amount_in_words, ratio};

/// A finding in words.
pub(crate) struct FindingText {
    /// What is wrong, and where.
    pub(crate) text: String,
    /// The figures that show it.
    pub(crate) evidence: String,
    /// The same figures, by their keys in the JSON report.
    pub(crate) figures: Value,
    /// What to try, if anything is known that fits.
    pub(crate) advice: Option<String>,
    /// What that can bring.
    pub(crate) gain: String,
}

/// What the change can bring.
pub(super) fn gain(finding: &Finding, metric: &Metric) -> String {
    let gain = &finding.gain;
    let (most, by) = match gain.estimate {
        EstimatedBy::Bounds => ("up to ", "bounds"),
        EstimatedBy::WhatIf => ("", "what-if on the task dag"),
    };
    format!(
        "{most}{} times as fast on {} cores, by {by}: {} now, {} then.",
        ratio(gain.factor()),
        gain.cores,
        amount_in_words(gain.now, metric),
        amount_in_words(gain.after, metric),
    )
}
