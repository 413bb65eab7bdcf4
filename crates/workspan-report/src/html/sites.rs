//! The tables of call sites, regions and locks.

use std::collections::HashSet;

use serde::Serialize;
use workspan_model::{
    Analysis, LockRow, Measure, MeasureKind, On, Region, RowOnWork, Runs, SiteKind, SiteRow,
    SiteSpread,
};

use super::number::rounded;
use crate::notation::place::{SERIAL_CODE, kind_and_name, place};
use crate::notation::readable::readable;
use crate::object::{finite, object};

/// A page holds at most this many sites, those with the largest shares of the span or of the work.
const MOST_SITES: usize = 1_000;

/// At most this many parts of a site's span are listed.
const MOST_PARTS: usize = 8;

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
        let parts = analysis.paths.as_ref().map_or(&[][..], |paths| &paths[row]);
        let parts = parts
            .iter()
            .filter(|part| part.share > 0.0 && is_shown(part.row));
        let parts = parts.map(|part| {
            let nanos = part.local_span.time().shown();
            (ids.of_row(part.row), nanos, rounded(part.share))
        });
        let site = &analysis.sites[row];
        // The sites of the run shown come first, in its order.
        let spread = runs.map(|runs| &runs.sites[row]);
        view(site, ids.of_row(row), shares(site), parts.collect(), spread)
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

/// A part of a site's span: site, nanoseconds, share.
type PartView<'a> = (&'a str, u64, f64);

fn view<'a>(
    site: &SiteRow,
    id: &'a str,
    [share_of_span, share_of_work]: [f64; 2],
    mut parts: Vec<PartView<'a>>,
    runs: Option<&SiteSpread>,
) -> impl Serialize + use<'a> {
    let more = parts.len().saturating_sub(MOST_PARTS);
    parts.truncate(MOST_PARTS);
    let text = |text: &Option<String>| text.as_deref().map(readable);
    let measures = |on| {
        let all = MeasureKind::ALL.map(|kind| Some(measure(site.measure(on, kind))));
        match all {
            [call_site, caller, local] if caller == call_site => [call_site, None, local],
            all => all,
        }
    };
    let on_work = &site.on_work;
    object! {
        id: id,
        kind: site.kind.name(),
        // What it does, and to what.
        label: label(site),
        place: place_of(site),
        #[serde(flatten)]
        function: text(&site.function).map(|text| object! { function: text }),
        #[serde(flatten)]
        detail: text(&site.detail).map(|text| object! { detail: text }),
        #[serde(flatten)]
        note: text(&site.note).map(|text| object! { note: text }),
        share_of_span: rounded(share_of_span),
        share_of_work: rounded(share_of_work),
        blocked: on_work.blocked.shown(),
        stolen: on_work.stolen,
        spawns: on_work.spawns,
        overhead: on_work.tasking_overhead.time.shown(),
        // In the order of the kinds of measures; that by top caller is `null` if it is the same as
        // that by top call site.
        on_work: measures(On::Work),
        on_span: measures(On::Span),
        // What its span is made of.
        #[serde(flatten)]
        path: (!parts.is_empty()).then(|| object! { path: parts }),
        // How many more parts there are.
        #[serde(flatten)]
        path_left_out: (more > 0).then(|| object! { path_left_out: more }),
        // How its figures vary over several runs.
        #[serde(flatten)]
        spread: runs.map(|site| object! { spread: spread(site) }),
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

/// An identifier for each row, the same on the page of the next run: `join@src/main.rs:40:9`.
pub(super) struct SiteIds(Vec<String>);

/// Longer places are cut in identifiers.
const MOST_CHARACTERS: usize = 120;

impl SiteIds {
    pub(super) fn new(rows: &[SiteRow]) -> Self {
        let mut taken = HashSet::new();
        let id = |row: &SiteRow| {
            let place: String = place_of(row).chars().take(MOST_CHARACTERS).collect();
            let first = format!("{}@{place}", row.kind.name());
            let later = (2..).map(|number| format!("{first}~{number}"));
            let mut all = std::iter::once(first.clone()).chain(later);
            let id = all.find(|id| !taken.contains(id));
            let id = id.expect("there is no end of numbers");
            taken.insert(id.clone());
            id
        };
        Self(rows.iter().map(id).collect())
    }

    pub(super) fn of_row(&self, row: usize) -> &str {
        &self.0[row]
    }
}

/// Which run the figures of all sites are from.
pub(super) fn shown_run(runs: &Runs) -> impl Serialize {
    object! {
        // How many runs there were.
        runs: runs.runs.len(),
        // The number of the run that is shown; the first is 1.
        shown: runs.shown + 1,
    }
}

/// The least and the most of a site's figures.
fn spread(site: &SiteSpread) -> impl Serialize + use<> {
    let on_work = |figure: fn(&RowOnWork) -> u64| site.spread(|row| figure(&row.on_work)).ends();
    object! {
        // In how many runs the site was reached; the figures are from those.
        runs: site.rows.len(),
        count: on_work(|row| row.top_count),
        work: on_work(|row| row.work.time().shown()),
        span: on_work(|row| row.span.time().shown()),
        share_of_span: site.spread(|row| row.on_span.share).ends().map(rounded),
        stolen: on_work(|row| row.stolen),
    }
}

/// What a site does, and to what.
pub(super) fn label(site: &SiteRow) -> String {
    match site.kind {
        SiteKind::Root => "serial code of the program".to_owned(),
        _ => readable(&kind_and_name(site)),
    }
}

/// Where a site is; empty for the root, which is everywhere.
pub(super) fn place_of(site: &SiteRow) -> String {
    let place = place(site);
    if place == SERIAL_CODE {
        String::new()
    } else {
        readable(&place)
    }
}

/// A page holds at most this many locks, those held longest.
const MOST_LOCKS: usize = 300;

/// A page holds at most this many places of a lock.
const MOST_PLACES: usize = 20;

/// `None` if nothing was done under a lock.
pub(super) fn locks(analysis: &Analysis, ids: &SiteIds) -> Option<Vec<impl Serialize>> {
    let locks = analysis.locks.iter().take(MOST_LOCKS);
    let locks: Vec<_> = locks.map(|held| lock(held, ids)).collect();
    (!locks.is_empty()).then_some(locks)
}

fn lock(lock: &LockRow, ids: &SiteIds) -> impl Serialize {
    let places = lock.places.iter().take(MOST_PLACES);
    object! {
        held: lock.held.time().shown(),
        work_share: lock.work_share,
        most_speedup: rounded(lock.most_speedup),
        acquisitions: lock.acquisitions,
        waits: lock.waits,
        waited: lock.waited.shown(),
        // Sites that acquire it, and how long they hold it.
        places: places
            .map(|&(row, held)| (ids.of_row(row), held.time().shown()))
            .collect::<Vec<_>>(),
        // How many places are left out.
        places_hidden: lock.places.len().saturating_sub(MOST_PLACES),
    }
}

/// A page holds at most this many regions, those with the largest shares of the span.
const MOST_REGIONS: usize = 300;

/// `None` if the program names no regions.
pub(super) fn regions(analysis: &Analysis) -> Option<Vec<impl Serialize>> {
    let regions = analysis.regions.iter().take(MOST_REGIONS);
    let regions: Vec<_> = regions.map(region).collect();
    (!regions.is_empty()).then_some(regions)
}

fn region(region: &Region) -> impl Serialize {
    let sum = &region.sum;
    let [parallelism, burdened_parallelism] = sum.parallelisms();
    let place = region.location.as_ref();
    let speedup = sum.speedup.iter();
    object! {
        name: readable(&region.name),
        place: place.map(|place| readable(&place.to_string())),
        function: region.function.as_deref().map(readable),
        count: region.count,
        share_of_span: region.share_of_span,
        work: sum.work.time().shown(),
        span: sum.span.value.time().shown(),
        burdened_span: sum.burdened_span.value.time().shown(),
        parallelism: parallelism.map(rounded),
        burdened_parallelism: burdened_parallelism.map(rounded),
        // The range of the parallelism, if timing tiny tasks in groups leaves one; `null` for no
        // limit.
        parallelism_range: sum.span.is_wide().then(|| sum.parallelism.ends().map(finite)),
        spawns: sum.spawns,
        overhead: region.tasking_overhead.time.shown(),
        blocked: region.blocked.shown(),
        // Cores, and lower and upper bound of the speedup if the program were nothing but this.
        speedup: speedup
            .map(|bounds| (bounds.cores, rounded(bounds.lower), rounded(bounds.upper)))
            .collect::<Vec<_>>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_at_one_place_have_different_ids() {
        let profile = workspan_model::example::quicksort();
        let rows = workspan_model::analyse(&profile).sites;
        let rows = [rows[0].clone(), rows[1].clone(), rows[0].clone()];
        let ids = SiteIds::new(&rows);
        assert_eq!(ids.of_row(0), "join@examples/quicksort.rs:31:9");
        assert_eq!(ids.of_row(2), "join@examples/quicksort.rs:31:9~2");
    }
}
