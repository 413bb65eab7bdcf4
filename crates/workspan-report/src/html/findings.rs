//! The findings in plain words.

use serde::Serialize;
use workspan_model::{Analysis, Finding, ReadyScenario, ReadySource};

use super::ready::ready_id;
use super::site_ids::SiteIds;
use super::site_words::place_of;
use crate::readable::readable;
use crate::sentences;

#[derive(Serialize)]
pub(super) struct FindingView {
    number: &'static str,
    text: String,
    evidence: String,
    advice: String,
    gain: String,
    site: String,
    /// Where its code is; empty of the program as a whole.
    place: String,
    /// The what-if of what it asks for.
    what_if: Option<String>,
}

impl FindingView {
    pub(super) fn all(analysis: &Analysis, ready: &[ReadyScenario], ids: &SiteIds) -> Vec<Self> {
        let findings = analysis.findings.iter().enumerate();
        let view = |(index, finding): (usize, &Finding)| {
            let words = sentences::finding(finding, analysis);
            Self {
                number: finding.diagnosis().number(),
                text: readable(&words.text),
                evidence: readable(&words.evidence),
                advice: words.advice,
                gain: words.gain,
                site: ids.of_row(finding.row).to_owned(),
                place: place_of(&analysis.sites[finding.row]),
                what_if: ready_id(ready, ReadySource::Finding(index)),
            }
        };
        findings.map(view).collect()
    }
}
