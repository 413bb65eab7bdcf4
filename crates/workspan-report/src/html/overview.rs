//! The first screen.

use std::collections::BTreeMap;

use serde::Serialize;
use workspan_model::{Analysis, Profile, ReadyScenario, span_parts};

use super::answers::{Answer, answers};
use super::findings::FindingView;
use super::headline::{Headline, headlines};
use super::site_ids::SiteIds;
use super::site_words::{label, place_of};
use super::speedup::SpeedupView;
use crate::readable::readable;
use crate::{explanation, sentences};

#[derive(Serialize)]
pub(super) struct Overview {
    answers: [Answer; 3],
    headlines: Vec<Headline>,
    speedup: Option<SpeedupView>,
    /// The critical path, by the sites whose own code it is; the largest part first.
    span: Vec<SpanPart>,
    /// What the other sites have of it.
    span_rest: Option<SpanRestView>,
    findings: Vec<FindingView>,
    /// The background of each diagnosis among them, by its number.
    explanations: BTreeMap<&'static str, &'static str>,
    notes: Vec<String>,
}

/// A site's own part of the critical path.
#[derive(Serialize)]
struct SpanPart {
    site: String,
    label: String,
    place: String,
    nanos: u64,
    share: f64,
}

#[derive(Serialize)]
struct SpanRestView {
    sites: usize,
    nanos: u64,
    share: f64,
}

/// So many sites of the critical path are told one by one.
const MOST_PARTS: usize = 12;

impl Overview {
    pub(super) fn of(
        profile: &Profile,
        analysis: &Analysis,
        ready: &[ReadyScenario],
        ids: &SiteIds,
    ) -> Self {
        let is_parallel = analysis.verdict.limit != workspan_model::Limit::OneStrand;
        let parts = span_parts(&analysis.sites, MOST_PARTS, 0.0);
        Self {
            answers: answers(analysis, ready, ids),
            headlines: headlines(profile, analysis),
            speedup: is_parallel.then(|| SpeedupView::of(profile, analysis)),
            span: parts
                .largest
                .iter()
                .map(|&row| SpanPart::of(row, analysis, ids))
                .collect(),
            span_rest: parts.rest.map(|rest| SpanRestView {
                sites: rest.sites.get(),
                nanos: rest.local_span.time().shown(),
                share: rest.share,
            }),
            findings: FindingView::all(analysis, ready, ids),
            explanations: analysis
                .findings
                .iter()
                .map(|finding| {
                    (
                        finding.diagnosis().number(),
                        explanation(finding.diagnosis()),
                    )
                })
                .collect(),
            notes: analysis
                .notes
                .iter()
                .map(|note| readable(&sentences::note(note, analysis)))
                .collect(),
        }
    }
}

impl SpanPart {
    fn of(row: usize, analysis: &Analysis, ids: &SiteIds) -> Self {
        let site = &analysis.sites[row];
        Self {
            site: ids.of_row(row).to_owned(),
            label: label(site),
            place: place_of(site),
            nanos: site.on_span.local_span.time().shown(),
            share: site.on_span.share,
        }
    }
}
