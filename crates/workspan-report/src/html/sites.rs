//! The table of call sites.

use serde::Serialize;
use workspan_model::{Analysis, Measure, MeasureKind, On, SitePathPart, SiteRow};

use super::number::rounded;
use super::site_ids::SiteIds;
use super::site_spread::{ShownRunView, SiteSpreadView};
use super::site_words::{label, place_of};
use crate::readable::readable;

/// So many sites a page holds; those with the largest shares of the span or of the work.
const MOST_SITES: usize = 1_000;

/// So many parts of a site's span are told.
const MOST_PARTS: usize = 8;

#[derive(Serialize)]
pub(super) struct SitesView<'a> {
    rows: Vec<SiteView<'a>>,
    /// How many sites the page has no room for.
    left_out: usize,
    /// The largest share of the span, and of the work, that one of those has.
    left_out_shares: [f64; 2],
    /// Of several runs, the one that the rows are of.
    shown_run: Option<ShownRunView>,
}

#[derive(Serialize)]
struct SiteView<'a> {
    id: &'a str,
    kind: &'static str,
    /// What it does, and to what.
    label: String,
    place: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    share_of_span: f64,
    share_of_work: f64,
    blocked: u64,
    stolen: u64,
    spawns: u64,
    overhead: u64,
    /// In the order of the kinds of measures; that by top caller is `null` where it is the same as that by top call site.
    on_work: [Option<MeasureView>; 3],
    on_span: [Option<MeasureView>; 3],
    /// What its span is made up of: site, nanoseconds, share.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    path: Vec<(&'a str, u64, f64)>,
    /// How many parts there are beside these.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_left_out: Option<usize>,
    /// Over several runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<SiteSpreadView>,
}

/// Count, work, span, parallelism.
type MeasureView = (Option<u64>, Option<u64>, Option<u64>, Option<f64>);

impl<'a> SitesView<'a> {
    pub(super) fn of(analysis: &'a Analysis, ids: &'a SiteIds) -> Self {
        let work = analysis.totals.work.time();
        let shares = |row: &SiteRow| {
            let of_work = row.on_work.work.time().share_of(work);
            [row.on_span.share, of_work.min(1.0)]
        };
        let mut chosen: Vec<usize> = (0..analysis.sites.len()).collect();
        let weight = |&row: &usize| {
            let [span, work] = shares(&analysis.sites[row]);
            span.max(work)
        };
        chosen.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
        let left_out = chosen.split_off(chosen.len().min(MOST_SITES));
        let largest = |kind: usize| {
            let shares = left_out
                .iter()
                .map(|&row| shares(&analysis.sites[row])[kind]);
            shares.fold(0.0, f64::max)
        };
        let left_out_shares = [largest(0), largest(1)];
        chosen.sort_unstable();
        let runs = analysis.runs.as_ref();
        let is_shown = |row: usize| chosen.binary_search(&row).is_ok();
        let rows = chosen.iter().map(|&row| {
            let site = &analysis.sites[row];
            let parts = analysis.paths.as_ref().map_or(&[][..], |paths| &paths[row]);
            let [share_of_span, share_of_work] = shares(site);
            let mut view = SiteView::of(site, ids.of_row(row), [share_of_span, share_of_work]);
            let told = parts
                .iter()
                .filter(|part| part.share > 0.0 && is_shown(part.row));
            let told: Vec<&SitePathPart> = told.collect();
            view.path_left_out = told.len().checked_sub(MOST_PARTS).filter(|&more| more > 0);
            view.path = told
                .into_iter()
                .take(MOST_PARTS)
                .map(|part| {
                    let nanos = part.local_span.time().shown();
                    (ids.of_row(part.row), nanos, rounded(part.share))
                })
                .collect();
            // The sites of the run shown come first, in its order.
            view.spread = runs.map(|runs| SiteSpreadView::of(&runs.sites[row]));
            view
        });
        Self {
            rows: rows.collect(),
            left_out: left_out.len(),
            left_out_shares,
            shown_run: runs.map(ShownRunView::of),
        }
    }
}

impl<'a> SiteView<'a> {
    /// The site without its path.
    fn of(site: &'a SiteRow, id: &'a str, [share_of_span, share_of_work]: [f64; 2]) -> Self {
        let text = |text: &Option<String>| text.as_deref().map(readable);
        let measures = |on| {
            let all = MeasureKind::ALL.map(|kind| Some(measure(site.measure(on, kind))));
            match all {
                [call_site, caller, local] if caller == call_site => [call_site, None, local],
                all => all,
            }
        };
        Self {
            id,
            kind: site.kind.name(),
            label: label(site),
            place: place_of(site),
            function: text(&site.function),
            detail: text(&site.detail),
            note: text(&site.note),
            share_of_span: rounded(share_of_span),
            share_of_work: rounded(share_of_work),
            blocked: site.on_work.blocked.shown(),
            stolen: site.on_work.stolen,
            spawns: site.on_work.spawns,
            overhead: site.on_work.tasking_overhead.time.shown(),
            on_work: measures(On::Work),
            on_span: measures(On::Span),
            path: Vec::new(),
            path_left_out: None,
            spread: None,
        }
    }
}

fn measure(measure: Measure) -> MeasureView {
    (
        measure.count,
        measure.work.map(|work| work.time().shown()),
        measure.span.map(|span| span.time().shown()),
        measure.parallelism.map(rounded),
    )
}
