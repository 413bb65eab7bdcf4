//! The first screen.

use std::collections::BTreeMap;

use serde::Serialize;
use workspan_model::{Analysis, Finding, Profile, ReadyChange, span_parts};

use super::answers::answers;
use super::findings::findings;
use super::headline::headlines;
use super::site_ids::SiteIds;
use super::site_words::{label, place_of};
use super::speedup::speedup;
use crate::object::object;
use crate::readable::readable;
use crate::{explanation, sentences};

/// At most this many sites of the critical path are shown one by one.
const MOST_PARTS: usize = 12;

pub(super) fn overview(
    profile: &Profile,
    analysis: &Analysis,
    ready: &[ReadyChange],
    ids: &SiteIds,
) -> impl Serialize {
    let is_parallel = analysis.tells_speedups() && !analysis.speedup.is_empty();
    let parts = span_parts(&analysis.sites, MOST_PARTS, 0.0);
    let largest = parts.largest.iter().map(|&row| {
        let site = &analysis.sites[row];
        object! {
            site: ids.of_row(row).to_owned(),
            label: label(site),
            place: place_of(site),
            nanos: site.on_span.local_span.time().shown(),
            share: site.on_span.share,
        }
    });
    let rest = parts.rest.as_ref().map(|rest| {
        object! {
            sites: rest.sites.get(),
            nanos: rest.local_span.time().shown(),
            share: rest.share,
        }
    });
    let diagnoses = analysis.findings.iter().map(Finding::diagnosis);
    let notes = analysis.notes.iter();
    object! {
        answers: answers(analysis, ready, ids),
        headlines: headlines(profile, analysis),
        speedup: is_parallel.then(|| speedup(profile, analysis)),
        // The critical path, split by the sites whose own code it runs; the largest part first.
        span: largest.collect::<Vec<_>>(),
        // The other sites' parts of it together.
        span_rest: rest,
        findings: findings(analysis, ready, ids),
        // The background of each diagnosis among the findings, by its number.
        explanations: diagnoses
            .map(|diagnosis| (diagnosis.number(), explanation(diagnosis)))
            .collect::<BTreeMap<_, _>>(),
        notes: notes
            .map(|note| readable(&sentences::note(note, analysis)))
            .collect::<Vec<_>>(),
    }
}
