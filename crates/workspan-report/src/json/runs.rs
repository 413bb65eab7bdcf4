//! The JSON report's parts on several runs.

use workspan_model::{Analysis, RunFigures, Runs, SiteSpread};

use crate::object::{Document, object};
use crate::totals::{totals, totals_spread};

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
        totals: totals_spread(runs),
        /// The sites, those of the run with the median span first, in its order; matched by kind and
        /// location, or by kind, function and detail where no location is known
        sites: runs.sites.iter().map(site_spread).collect::<Vec<_>>(),
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
        runs: site.rows.len(),
        /// Instances
        count: site.spread(|row| row.on_work.count),
        /// Instances with no outer instance of the site
        top_count: site.spread(|row| row.on_work.top_count),
        /// Work of the top instances, with all that they wait for, in nanoseconds
        work_ns: site.spread(|row| row.on_work.work.time().shown()),
        /// Sum of the spans of the top instances, in nanoseconds
        span_ns: site.spread(|row| row.on_work.span.time().shown()),
        /// Work of the site's own strands, in nanoseconds
        local_work_ns: site.spread(|row| row.on_work.local_work.time().shown()),
        /// Work / span, over the runs in which a top instance has finished; null when there is none
        parallelism: site.known_spread(|row| row.on_work.parallelism),
        /// Voluntary waits in the site's own strands, in nanoseconds
        blocked_ns: site.spread(|row| row.on_work.blocked.shown()),
        /// Tasks that ran on another thread than their spawner
        stolen: site.spread(|row| row.on_work.stolen),
        /// Tasks created
        spawns: site.spread(|row| row.on_work.spawns),
        /// Waits for tasks
        syncs: site.spread(|row| row.on_work.syncs),
        /// Cost of creating and scheduling the site's tasks as a share of its work, from 0
        tasking_overhead: site.spread(|row| row.on_work.tasking_overhead.share),
        /// Cost of creating and scheduling the site's tasks, in nanoseconds
        tasking_overhead_ns: site.spread(|row| row.on_work.tasking_overhead.time.shown()),
        /// Instances whose start lies on the critical path
        count_on_span: site.spread(|row| row.on_span.count),
        /// Time of the site's own strands on the critical path, in nanoseconds
        local_span_ns: site.spread(|row| row.on_span.local_span.time().shown()),
        /// That time as a share of the span, from 0
        share_of_span: site.spread(|row| row.on_span.share),
    }
}
