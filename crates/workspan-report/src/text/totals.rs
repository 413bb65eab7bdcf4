//! The quantities of Cilkview's Fig. 6, each with its meaning.

use std::io;

use workspan_model::{
    Analysis, Metric, Nanos, ParallelismInterval, Profile, SpanInterval, knows_tasking_costs,
};

use super::measurement::threads;
use super::page::Page;
use super::spread;
use super::table::{Column, Table};
use crate::figures::{amount, duration, grouped, outwards, percent, range, ratio, ratio_within};
use crate::sentences::books::spent;

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
    if let Some(books) = &analysis.books {
        page.remark(&spent(books))?;
    }
    remark_on_intervals(page, analysis)?;
    remark_on_delays(page, analysis)
}

/// From this share of the work on, tasks that were timed in groups explain a wide interval.
const LEAST_SHARED: f64 = 0.01;

fn remark_on_intervals(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    let totals = &analysis.totals;
    let is_wide = totals.span_interval.is_wide || totals.burdened_span_interval.is_wide;
    if is_wide && totals.shared_share >= LEAST_SHARED {
        page.remark(&format!(
            "Tiny tasks, {} of the work, were timed in groups: --exact narrows the ranges of the spans.",
            percent(totals.shared_share)
        ))?;
    }
    Ok(())
}

/// A span is a maximum, so it collects the delays that work averages out.
fn remark_on_delays(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    let totals = &analysis.totals;
    if !totals.span_interval.is_wide || !analysis.metric.is_time() {
        return Ok(());
    }
    page.remark(&if !analysis.shows_delays {
        "The task dag was not recorded in full, so how much delays lengthened the span is not known: the span is at \
         most this, the parallelism at least this."
            .to_owned()
    } else if analysis.runs.is_some() {
        format!(
            "Some strands are delayed in every run: allowing for that, the parallelism is {}.",
            parallelism_interval(totals.parallelism_interval)
        )
    } else {
        "One run cannot tell a strand that was delayed from one that takes longer: the ranges allow for both. \
         --runs 3 narrows them."
            .to_owned()
    })
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
            span_range(analysis, span).unwrap_or_else(|| amount(totals.span.time(), metric)),
            "longest chain of dependent strands".to_owned(),
        ),
        (
            "Burdened span",
            span_range(analysis, burdened_span)
                .unwrap_or_else(|| amount(totals.burdened_span.time(), metric)),
            format!("with {burden} a task for moving it"),
        ),
        (
            "Parallelism",
            parallelism_range(analysis, span, totals.parallelism_interval)
                .unwrap_or_else(|| ratio(totals.parallelism)),
            "work / span, the limit to speedup".to_owned(),
        ),
        (
            "Burdened parallelism",
            parallelism_range(
                analysis,
                burdened_span,
                totals.burdened_parallelism_interval,
            )
            .unwrap_or_else(|| ratio(totals.burdened_parallelism)),
            "work / burdened span".to_owned(),
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
fn span_range(analysis: &Analysis, span: SpanInterval) -> Option<String> {
    let metric = &analysis.metric;
    span.is_wide.then(|| {
        if analysis.shows_delays {
            interval(span, metric)
        } else {
            format!("at most {}", amount(span.upper.time(), metric))
        }
    })
}

pub(super) fn interval(span: SpanInterval, metric: &Metric) -> String {
    let [lower, upper] = [span.lower, span.upper].map(|span| span.time().as_nanos() as f64);
    let (lower, upper, _) = outwards(lower, upper);
    let [lower, upper] = [lower, upper].map(|nanos| amount(Nanos::from_nanos_f64(nanos), metric));
    range(&lower, &upper)
}

/// The interval of a parallelism, if that of its span is wide enough to matter.
fn parallelism_range(
    analysis: &Analysis,
    span: SpanInterval,
    interval: ParallelismInterval,
) -> Option<String> {
    let upper = interval.upper.filter(|_| analysis.shows_delays);
    let known = ParallelismInterval { upper, ..interval };
    span.is_wide.then(|| parallelism_interval(known))
}

pub(super) fn parallelism_interval(interval: ParallelismInterval) -> String {
    ratio_within(interval.lower, interval.upper)
}
