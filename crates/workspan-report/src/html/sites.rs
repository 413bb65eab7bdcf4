//! The table of call sites.

use serde::Serialize;
use workspan_model::{Analysis, Measure, MeasureKind, On, SitePathPart, SiteRow};

use super::number::rounded;
use super::site_ids::SiteIds;
use super::site_spread::{SiteSpreadView, shown_run};
use super::site_words::{label, place_of};
use crate::object::object;
use crate::readable::readable;

/// A page holds at most this many sites, those with the largest shares of the span or of the work.
const MOST_SITES: usize = 1_000;

/// At most this many parts of a site's span are listed.
const MOST_PARTS: usize = 8;

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
    /// In the order of the kinds of measures; that by top caller is `null` if it is the same as
    /// that by top call site.
    on_work: [Option<MeasureView>; 3],
    on_span: [Option<MeasureView>; 3],
    /// What its span is made of: site, nanoseconds, share.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    path: Vec<(&'a str, u64, f64)>,
    /// How many more parts there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_left_out: Option<usize>,
    /// How its figures vary over several runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<SiteSpreadView>,
}

/// Count, work, span, parallelism.
type MeasureView = (Option<u64>, Option<u64>, Option<u64>, Option<f64>);

pub(super) fn sites(analysis: &Analysis, ids: &SiteIds) -> impl Serialize {
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
    let largest_shares = [largest(0), largest(1)];
    chosen.sort_unstable();
    let runs = analysis.runs.as_ref();
    let is_shown = |row: usize| chosen.binary_search(&row).is_ok();
    let rows = chosen.iter().map(|&row| {
        let site = &analysis.sites[row];
        let parts = analysis.paths.as_ref().map_or(&[][..], |paths| &paths[row]);
        let mut view = SiteView::new(site, ids.of_row(row), shares(site));
        let parts = parts
            .iter()
            .filter(|part| part.share > 0.0 && is_shown(part.row));
        let parts: Vec<&SitePathPart> = parts.collect();
        view.path_left_out = parts.len().checked_sub(MOST_PARTS).filter(|&more| more > 0);
        view.path = parts
            .into_iter()
            .take(MOST_PARTS)
            .map(|part| {
                let nanos = part.local_span.time().shown();
                (ids.of_row(part.row), nanos, rounded(part.share))
            })
            .collect();
        // The sites of the run shown come first, in its order.
        view.spread = runs.map(|runs| SiteSpreadView::new(&runs.sites[row]));
        view
    });
    object! {
        rows: rows.collect::<Vec<_>>(),
        // How many sites the page has no room for.
        left_out: left_out.len(),
        // The largest share of the span and of the work that any of those has.
        left_out_shares: largest_shares,
        // Of several runs, the one that the rows are from.
        shown_run: runs.map(shown_run),
    }
}

impl<'a> SiteView<'a> {
    /// The view of `site` without its path.
    fn new(site: &SiteRow, id: &'a str, [share_of_span, share_of_work]: [f64; 2]) -> Self {
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
