//! The first screen.

use std::collections::BTreeMap;

use serde::Serialize;
use workspan_model::{Analysis, Finding, Profile, ReadyChange, span_parts};

use super::answers::answers;
use super::findings::findings;
use super::site_ids::SiteIds;
use super::site_words::{label, place_of};
use super::speedup::speedup;
use crate::object::object;
use crate::readable::readable;
use crate::totals::TOTALS;
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
        headlines: HEADLINES.map(|key| headline(key, profile, analysis)).into_iter().flatten().collect::<Vec<_>>(),
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

/// The figures of the whole program, the most telling first.
const HEADLINES: [&str; 11] = [
    "parallelism",
    "burdened_parallelism",
    "work",
    "span",
    "burdened_span",
    "spawns",
    "stolen",
    "average_strand",
    "overhead",
    "blocked",
    "elapsed",
];

/// Why: ranges from several runs.
const RUNS: &str = "least and most of all runs; the figure is the median";
/// Why: ranges from one run.
const ONE_RUN: &str = "one run cannot tell delays from longer strands (--runs 3 narrows the range); tiny tasks were timed in groups (--exact narrows that)";

/// A figure with all that a reader needs to read it right, if it is known.
fn headline(key: &str, profile: &Profile, analysis: &Analysis) -> Option<impl Serialize> {
    let total = TOTALS.iter().find(|total| total.key == key)?;
    let spread = analysis.runs.as_ref().map(|runs| runs.spread(total.of));
    let (range, why) = match spread {
        Some(spread) => (Some([spread.least, spread.most].map(Some)), RUNS),
        None => (total.range(analysis), ONE_RUN),
    };
    total.is_known(profile).then(|| {
        object! {
            // Its key in the glossary.
            key: total.key,
            value: spread.map_or_else(|| (total.of)(&analysis.totals), |spread| spread.median),
            unit: total.unit,
            // The least and the most that it may be; `null` for no limit.
            range: range,
            // Where the range comes from.
            why: range.map(|_| why),
        }
    })
}
