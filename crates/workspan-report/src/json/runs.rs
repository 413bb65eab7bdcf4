//! The JSON report's parts on several runs.

use workspan_model::{
    Analysis, Nanos, RunFigures, Runs, SiteSpread, Span, Spread, TotalsSpread, Work,
};

use super::totals::totals;
use crate::object::{Document, object};

/// One of several runs.
pub(super) fn run(run: &RunFigures, analysis: &Analysis) -> impl Document {
    object! {
        /// Start, in seconds since 1970-01-01 UTC
        started_at: run.started_at,
        /// Totals over the whole program
        totals: totals(&run.totals, analysis),
    }
}

/// How figures vary over several runs.
pub(super) fn spread(runs: &Runs) -> impl Document {
    object! {
        /// How many runs
        runs: runs.runs.len(),
        /// Index into `runs` of the run with the median span
        shown: runs.shown,
        /// Totals over the whole program
        totals: totals_spread(&runs.totals),
        /// The sites, those of the run with the median span first, in its order; matched by kind and
        /// location, or by kind, function and detail where no location is known
        sites: runs.sites.iter().map(site_spread).collect::<Vec<_>>(),
    }
}

fn extent<F, T: Document>(spread: Spread<F>, figure: impl Fn(F) -> T) -> impl Document {
    object! {
        /// The middle one; of an even number of runs the lower of the two in the middle
        median: figure(spread.median),
        /// The least
        least: figure(spread.least),
        /// The most
        most: figure(spread.most),
    }
}

fn work(spread: Spread<Work>) -> impl Document {
    extent(spread, |work| work.time().shown())
}

fn span(spread: Spread<Span>) -> impl Document {
    extent(spread, |span| span.time().shown())
}

fn time(spread: Spread<Nanos>) -> impl Document {
    extent(spread, Nanos::shown)
}

fn number<T: Document>(spread: Spread<T>) -> impl Document {
    extent(spread, |number| number)
}

fn totals_spread(totals: &TotalsSpread) -> impl Document {
    object! {
        /// Work: the time of all strands, in nanoseconds
        work_ns: work(totals.work),
        /// Span: the longest chain of dependent strands, in nanoseconds
        span_ns: span(totals.span),
        /// Span with the burden, in nanoseconds
        burdened_span_ns: span(totals.burdened_span),
        /// Work / span
        parallelism: number(totals.parallelism),
        /// Work / burdened span
        burdened_parallelism: number(totals.burdened_parallelism),
        /// Tasks created
        spawns: number(totals.spawns),
        /// Waits for tasks
        syncs: number(totals.syncs),
        /// Work / (1 + 2 spawns + syncs), in nanoseconds
        average_strand_ns: time(totals.average_strand),
        /// Cost of creating and scheduling tasks as a share of the work, from 0
        tasking_overhead: number(totals.tasking_overhead_share),
        /// Cost of creating and scheduling tasks, in nanoseconds
        tasking_overhead_ns: time(totals.tasking_overhead),
        /// Voluntary waits of strands, part of the work, in nanoseconds
        blocked_ns: time(totals.blocked),
        /// Tasks that ran on another thread than their spawner
        stolen: number(totals.stolen),
        /// From the start of the process to the writing of the profile, in nanoseconds
        elapsed_ns: time(totals.elapsed),
    }
}

fn site_spread(site: &SiteSpread) -> impl Document {
    let row = &site.medians;
    object! {
        /// `file:line:column`; null for the root, and where symbols do not give one
        location: row.location.as_ref().map(ToString::to_string),
        /// What the site does
        #[cfg_attr(test, schemars(extend("enum" = workspan_model::SiteKind::ALL.map(workspan_model::SiteKind::name))))]
        kind: row.kind.name(),
        /// Name of the region, or of the function called; of another construct without a place where its code
        /// is: function and offset
        name: &row.name,
        /// The function around it
        function: &row.function,
        /// What was called there
        detail: &row.detail,
        /// In how many runs it was reached; the figures are of those
        runs: site.runs,
        /// Instances
        count: number(site.count),
        /// Instances with no outer instance of the site
        top_count: number(site.top_count),
        /// Work of the top instances, with all that they wait for, in nanoseconds
        work_ns: work(site.work),
        /// Sum of the spans of the top instances, in nanoseconds
        span_ns: span(site.span),
        /// Work of the site's own strands, in nanoseconds
        local_work_ns: work(site.local_work),
        /// Work / span, over the runs in which a top instance has finished; null when there is none
        parallelism: site.parallelism.map(number),
        /// Voluntary waits in the site's own strands, in nanoseconds
        blocked_ns: time(site.blocked),
        /// Tasks that ran on another thread than their spawner
        stolen: number(site.stolen),
        /// Tasks created
        spawns: number(site.spawns),
        /// Waits for tasks
        syncs: number(site.syncs),
        /// Cost of creating and scheduling the site's tasks as a share of its work, from 0
        tasking_overhead: number(site.tasking_overhead_share),
        /// Cost of creating and scheduling the site's tasks, in nanoseconds
        tasking_overhead_ns: time(site.tasking_overhead),
        /// Instances whose start lies on the critical path
        count_on_span: number(site.count_on_span),
        /// Time of the site's own strands on the critical path, in nanoseconds
        local_span_ns: span(site.local_span),
        /// That time as a share of the span, from 0
        share_of_span: number(site.share_of_span),
    }
}
