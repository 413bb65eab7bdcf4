//! The findings in plain words.

use serde::Serialize;
use workspan_model::{Analysis, Finding, ReadyChange, ReadySource};

use super::site_ids::SiteIds;
use super::site_words::place_of;
use super::what_if::ready_id;
use crate::object::object;
use crate::readable::readable;
use crate::sentences;

pub(super) fn findings(
    analysis: &Analysis,
    ready: &[ReadyChange],
    ids: &SiteIds,
) -> Vec<impl Serialize> {
    let findings = analysis.findings.iter().enumerate();
    let view = |(index, finding): (usize, &Finding)| {
        let words = sentences::finding(finding, analysis);
        object! {
            number: finding.diagnosis().number(),
            text: readable(&words.text),
            evidence: readable(&words.evidence),
            advice: words.advice,
            gain: words.gain,
            site: ids.of_row(finding.row).to_owned(),
            // Where its code is; empty for the program as a whole.
            place: place_of(&analysis.sites[finding.row]),
            // The what-if that shows what it asks for.
            what_if: ready_id(ready, ReadySource::Finding(index)),
        }
    };
    findings.map(view).collect()
}
