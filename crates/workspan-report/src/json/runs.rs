//! The JSON report's parts on several runs.

use serde::Serialize;
use workspan_model::{Nanos, RunFigures, Runs, SiteSpread, Span, Spread, TotalsSpread, Work};

use super::totals::totals;
use crate::object::object;

/// One of several runs.
pub(super) fn run(run: &RunFigures) -> impl Serialize {
    object! {
        started_at: run.started_at,
        totals: totals(&run.totals),
    }
}

/// How figures vary over several runs.
pub(super) fn spread(runs: &Runs) -> impl Serialize {
    object! {
        runs: runs.runs.len(),
        shown: runs.shown,
        totals: totals_spread(&runs.totals),
        sites: runs.sites.iter().map(site_spread).collect::<Vec<_>>(),
    }
}

fn extent<F, T: Serialize>(spread: Spread<F>, figure: impl Fn(F) -> T) -> impl Serialize {
    object! {
        median: figure(spread.median),
        least: figure(spread.least),
        most: figure(spread.most),
    }
}

fn work(spread: Spread<Work>) -> impl Serialize {
    extent(spread, |work| work.time().shown())
}

fn span(spread: Spread<Span>) -> impl Serialize {
    extent(spread, |span| span.time().shown())
}

fn time(spread: Spread<Nanos>) -> impl Serialize {
    extent(spread, Nanos::shown)
}

fn number<T: Serialize>(spread: Spread<T>) -> impl Serialize {
    extent(spread, |number| number)
}

fn totals_spread(totals: &TotalsSpread) -> impl Serialize {
    object! {
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

fn site_spread(site: &SiteSpread) -> impl Serialize {
    let row = &site.medians;
    object! {
        location: row.location.as_ref().map(ToString::to_string),
        kind: row.kind.name(),
        name: &row.name,
        function: &row.function,
        detail: &row.detail,
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
