//! Findings in the JSON report.

use serde::Serialize;
use workspan_model::{Analysis, Finding, Gain};

use crate::object::object;
use crate::sentences;

pub(super) fn finding(finding: &Finding, analysis: &Analysis) -> impl Serialize {
    let words = sentences::finding(finding, analysis);
    object! {
        number: finding.diagnosis().number(),
        name: finding.diagnosis().name(),
        text: format!("{} {}", words.text, words.evidence),
        advice: words.advice,
        site: finding.row,
        within: finding.within,
        function: finding.function,
        evidence: words.figures,
        gain: gain(&finding.gain),
    }
}

pub(super) fn gain(gain: &Gain) -> impl Serialize {
    object! {
        cores: gain.cores,
        now_ns: gain.now.shown(),
        after_ns: gain.after.shown(),
        factor: gain.factor(),
        estimate: gain.estimate.name(),
    }
}
