//! The JSON report's parts on several runs; field names are its keys.

use serde::Serialize;
use workspan_model::{Nanos, RunFigures, Runs, SiteSpread, Span, Spread, TotalsSpread, Work};

use super::document::TotalsPart;

/// One of several runs.
#[derive(Serialize)]
pub(super) struct RunPart {
    started_at: u64,
    totals: TotalsPart,
}

impl RunPart {
    pub(super) fn all(runs: Option<&Runs>) -> Vec<Self> {
        let runs = runs.into_iter().flat_map(|runs| &runs.runs);
        runs.map(Self::of).collect()
    }

    fn of(run: &RunFigures) -> Self {
        Self {
            started_at: run.started_at,
            totals: TotalsPart::of(&run.totals),
        }
    }
}

/// What several runs say together.
#[derive(Serialize)]
pub(super) struct SpreadPart<'a> {
    runs: usize,
    shown: usize,
    totals: TotalsSpreadPart,
    sites: Vec<SiteSpreadPart<'a>>,
}

impl<'a> SpreadPart<'a> {
    pub(super) fn of(runs: &'a Runs) -> Self {
        Self {
            runs: runs.runs.len(),
            shown: runs.shown,
            totals: TotalsSpreadPart::of(&runs.totals),
            sites: runs.sites.iter().map(SiteSpreadPart::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct Extent<T> {
    median: T,
    least: T,
    most: T,
}

impl<T> Extent<T> {
    fn of<F>(spread: Spread<F>, figure: impl Fn(F) -> T) -> Self {
        Self {
            median: figure(spread.median),
            least: figure(spread.least),
            most: figure(spread.most),
        }
    }
}

fn work(spread: Spread<Work>) -> Extent<u64> {
    Extent::of(spread, |work| work.time().shown())
}

fn span(spread: Spread<Span>) -> Extent<u64> {
    Extent::of(spread, |span| span.time().shown())
}

fn time(spread: Spread<Nanos>) -> Extent<u64> {
    Extent::of(spread, Nanos::shown)
}

fn number<T>(spread: Spread<T>) -> Extent<T> {
    Extent::of(spread, |number| number)
}

#[derive(Serialize)]
struct TotalsSpreadPart {
    work_ns: Extent<u64>,
    span_ns: Extent<u64>,
    burdened_span_ns: Extent<u64>,
    parallelism: Extent<f64>,
    burdened_parallelism: Extent<f64>,
    spawns: Extent<u64>,
    syncs: Extent<u64>,
    average_strand_ns: Extent<u64>,
    tasking_overhead: Extent<f64>,
    tasking_overhead_ns: Extent<u64>,
    blocked_ns: Extent<u64>,
    stolen: Extent<u64>,
    elapsed_ns: Extent<u64>,
}

impl TotalsSpreadPart {
    fn of(totals: &TotalsSpread) -> Self {
        Self {
            work_ns: work(totals.work),
            span_ns: span(totals.span),
            burdened_span_ns: span(totals.burdened_span),
            parallelism: number(totals.parallelism),
            burdened_parallelism: number(totals.burdened_parallelism),
            spawns: number(totals.spawns),
            syncs: number(totals.syncs),
            average_strand_ns: time(totals.average_strand),
            tasking_overhead: number(totals.tasking_overhead_share),
            tasking_overhead_ns: time(totals.tasking_overhead),
            blocked_ns: time(totals.blocked),
            stolen: number(totals.stolen),
            elapsed_ns: time(totals.elapsed),
        }
    }
}

#[derive(Serialize)]
struct SiteSpreadPart<'a> {
    location: Option<String>,
    kind: &'static str,
    name: Option<&'a str>,
    function: Option<&'a str>,
    detail: Option<&'a str>,
    runs: usize,
    count: Extent<u64>,
    top_count: Extent<u64>,
    work_ns: Extent<u64>,
    span_ns: Extent<u64>,
    local_work_ns: Extent<u64>,
    parallelism: Option<Extent<f64>>,
    blocked_ns: Extent<u64>,
    stolen: Extent<u64>,
    spawns: Extent<u64>,
    syncs: Extent<u64>,
    tasking_overhead: Extent<f64>,
    tasking_overhead_ns: Extent<u64>,
    count_on_span: Extent<u64>,
    local_span_ns: Extent<u64>,
    share_of_span: Extent<f64>,
}

impl<'a> SiteSpreadPart<'a> {
    fn of(site: &'a SiteSpread) -> Self {
        let row = &site.medians;
        Self {
            location: row.location.as_ref().map(ToString::to_string),
            kind: row.kind.name(),
            name: row.name.as_deref(),
            function: row.function.as_deref(),
            detail: row.detail.as_deref(),
            runs: site.runs,
            count: number(site.count),
            top_count: number(site.top_count),
            work_ns: work(site.work),
            span_ns: span(site.span),
            local_work_ns: work(site.local_work),
            parallelism: site.parallelism.map(number),
            blocked_ns: time(site.blocked),
            stolen: number(site.stolen),
            spawns: number(site.spawns),
            syncs: number(site.syncs),
            tasking_overhead: number(site.tasking_overhead_share),
            tasking_overhead_ns: time(site.tasking_overhead),
            count_on_span: number(site.count_on_span),
            local_span_ns: span(site.local_span),
            share_of_span: number(site.share_of_span),
        }
    }
}
