//! The quantities of Cilkview's Fig. 6, each with its meaning.

use std::io;

use workspan_model::{
    Analysis, Metric, ParallelismInterval, Profile, SpanInterval, knows_tasking_costs,
};

use super::measurement::threads;
use super::page::Page;
use super::spread;
use super::table::{Column, Table};
use crate::figures::{amount, duration, grouped, percent, range, ratio};

pub(super) fn print(page: &mut Page<'_>, profile: &Profile, analysis: &Analysis) -> io::Result<()> {
    page.heading(&if analysis.metric.is_default() {
        "Parallelism profile".to_owned()
    } else {
        format!("Parallelism profile, in {}", unit(&analysis.metric))
    })?;
    match &analysis.runs {
        Some(runs) => spread::totals(page, runs, &analysis.metric, knows_tasking_costs(profile))?,
        None => {
            let mut table = Table::new([Column::left(""), Column::right(""), Column::words("")]);
            for (name, figure, meaning) in rows(profile, analysis) {
                table.row([name.to_owned(), figure, meaning]);
            }
            page.table(&table)?;
        }
    }
    remark_on_intervals(page, analysis)?;
    remark_on_one_run(page, analysis)
}

/// From this share of the work on, tasks that were timed in groups explain a wide interval.
const LEAST_SHARED: f64 = 0.01;

fn remark_on_intervals(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    let (totals, metric) = (&analysis.totals, &analysis.metric);
    if totals.span_interval.is_wide || totals.burdened_span_interval.is_wide {
        let within = interval(totals.span_interval, metric);
        page.remark(&if totals.shared_share >= LEAST_SHARED {
            format!(
                "Tiny tasks, {} of the work, were timed in groups: that alone leaves the span anywhere within \
                 {within}; --exact narrows that.",
                percent(totals.shared_share)
            )
        } else {
            format!(
                "Some strands on the longest chain may have been interrupted, or were too short to time: that leaves \
                 the span anywhere within {within}.",
            )
        })?;
    }
    Ok(())
}

/// A span is a maximum, so it collects the delays that work averages out; the range above includes
/// at most what a virtual machine may have interrupted.
fn remark_on_one_run(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    if analysis.runs.is_some() || !analysis.metric.is_time() {
        return Ok(());
    }
    page.remark(
        "From one run: what delayed a strand on the longest chain lengthens the span and lowers the parallelism. \
         --runs 5 shows how far they vary.",
    )
}

/// Names, figures and meanings.
fn rows(profile: &Profile, analysis: &Analysis) -> [(&'static str, String, String); 11] {
    let metric = &analysis.metric;
    let totals = &analysis.totals;
    let overhead = totals.tasking_overhead;
    let burden = amount(profile.run.burden, metric);
    let (span, burdened_span) = (totals.span_interval, totals.burdened_span_interval);
    [
        (
            "Work",
            amount(totals.work.time(), metric),
            format!("{} of all strands", metric.noun()),
        ),
        (
            "Span",
            amount(totals.span.time(), metric),
            match span_range(span, metric) {
                Some(range) => format!("{range}, longest dependent chain"),
                None => "longest chain of dependent strands".to_owned(),
            },
        ),
        (
            "Burdened span",
            amount(totals.burdened_span.time(), metric),
            match span_range(burdened_span, metric) {
                Some(range) => format!("{range}, with {burden} a task"),
                None => format!("with {burden} a task for moving it"),
            },
        ),
        (
            "Parallelism",
            ratio(totals.parallelism),
            match parallelism_range(span, totals.parallelism_interval) {
                Some(range) => format!("{range}, work / span"),
                None => "work / span, the limit to speedup".to_owned(),
            },
        ),
        (
            "Burdened parallelism",
            ratio(totals.burdened_parallelism),
            match parallelism_range(burdened_span, totals.burdened_parallelism_interval) {
                Some(range) => format!("{range}, work / burdened span"),
                None => "work / burdened span".to_owned(),
            },
        ),
        (
            "Spawns",
            grouped(totals.spawns),
            format!("tasks created, {} stolen", grouped(totals.stolen)),
        ),
        ("Syncs", grouped(totals.syncs), "waits for tasks".to_owned()),
        (
            "Average maximal strand",
            amount(totals.average_strand, metric),
            "work / (1 + 2 spawns + syncs)".to_owned(),
        ),
        if knows_tasking_costs(profile) {
            (
                "Tasking overhead",
                amount(overhead.time, metric),
                format!("{} of the work", percent(overhead.share)),
            )
        } else {
            (
                "Tasking overhead",
                "–".to_owned(),
                "what a task costs this runtime is not measured".to_owned(),
            )
        },
        if metric.is_default() {
            (
                "Blocked",
                duration(totals.blocked),
                "sleep, I/O, locks; part of the work".to_owned(),
            )
        } else {
            (
                "Blocked",
                "–".to_owned(),
                "only known where the time is measured".to_owned(),
            )
        },
        (
            "Elapsed",
            duration(totals.elapsed),
            match threads(profile) {
                Some(threads) => format!("wall clock, {threads}"),
                None => "wall clock".to_owned(),
            },
        ),
    ]
}

/// The unit of a count, or the name of a time.
fn unit(metric: &Metric) -> &str {
    if metric.is_time() {
        &metric.name
    } else {
        &metric.unit
    }
}

/// The interval, if it is wide enough to matter.
fn span_range(span: SpanInterval, metric: &Metric) -> Option<String> {
    span.is_wide.then(|| interval(span, metric))
}

pub(super) fn interval(span: SpanInterval, metric: &Metric) -> String {
    range(
        &amount(span.lower.time(), metric),
        &amount(span.upper.time(), metric),
    )
}

/// The interval of a parallelism, if that of its span is wide enough to matter.
fn parallelism_range(span: SpanInterval, interval: ParallelismInterval) -> Option<String> {
    span.is_wide.then(|| parallelism_interval(interval))
}

pub(super) fn parallelism_interval(interval: ParallelismInterval) -> String {
    let upper = interval.upper.map_or_else(|| "∞".to_owned(), ratio);
    range(&ratio(interval.lower), &upper)
}
