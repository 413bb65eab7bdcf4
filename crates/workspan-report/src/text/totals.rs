//! The quantities of Cilkview's Fig. 6, each with its meaning.

use std::io;

use workspan_model::{
    Analysis, Metric, ParallelismInterval, Profile, SpanInterval, knows_tasking_costs,
};

use super::page::Page;
use super::spread;
use super::table::{Column, Table};
use super::threads;
use crate::figures::{amount, duration, grouped, percent, range, ratio};

pub(super) fn print(page: &mut Page<'_>, profile: &Profile, analysis: &Analysis) -> io::Result<()> {
    page.heading(&match analysis.metric.is_default() {
        true => "Parallelism profile".to_owned(),
        false => format!("Parallelism profile, in {}", unit(&analysis.metric)),
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
    remark_on_open_spans(page, analysis)
}

fn remark_on_open_spans(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    let (totals, metric) = (&analysis.totals, &analysis.metric);
    if totals.span_interval.is_open || totals.burdened_span_interval.is_open {
        page.remark(&format!(
            "Tiny tasks, {} of the work, were timed in groups, so that the span is only known to lie within {}; \
             --exact narrows that.",
            percent(totals.shared_share),
            interval(totals.span_interval, metric)
        ))?;
    }
    Ok(())
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
            match spans(span, metric) {
                Some(range) => format!("{range}, longest dependent chain"),
                None => "longest chain of dependent strands".to_owned(),
            },
        ),
        (
            "Burdened span",
            amount(totals.burdened_span.time(), metric),
            match spans(burdened_span, metric) {
                Some(range) => format!("{range}, with {burden} a task"),
                None => format!("with {burden} a task for moving it"),
            },
        ),
        (
            "Parallelism",
            ratio(totals.parallelism),
            match parallelisms(span, totals.parallelism_interval) {
                Some(range) => format!("{range}, work / span"),
                None => "work / span, the limit to speedup".to_owned(),
            },
        ),
        (
            "Burdened parallelism",
            ratio(totals.burdened_parallelism),
            match parallelisms(burdened_span, totals.burdened_parallelism_interval) {
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
        match knows_tasking_costs(profile) {
            true => (
                "Tasking overhead",
                amount(overhead.time, metric),
                format!("{} of the work", percent(overhead.share)),
            ),
            false => (
                "Tasking overhead",
                "–".to_owned(),
                "what a task costs this runtime is not measured".to_owned(),
            ),
        },
        match metric.is_default() {
            true => (
                "Blocked",
                duration(totals.blocked),
                "sleep, I/O, locks; part of the work".to_owned(),
            ),
            false => (
                "Blocked",
                "–".to_owned(),
                "only known where the time is measured".to_owned(),
            ),
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

/// What is counted, or the time that is no common one.
fn unit(metric: &Metric) -> &str {
    match metric.is_time() {
        true => &metric.name,
        false => &metric.unit,
    }
}

/// An interval that matters.
fn spans(span: SpanInterval, metric: &Metric) -> Option<String> {
    span.is_open.then(|| interval(span, metric))
}

pub(super) fn interval(span: SpanInterval, metric: &Metric) -> String {
    range(
        &amount(span.lower.time(), metric),
        &amount(span.upper.time(), metric),
    )
}

/// The interval that follows from a span's, if that one matters.
fn parallelisms(span: SpanInterval, interval: ParallelismInterval) -> Option<String> {
    span.is_open.then(|| parallelism_interval(interval))
}

pub(super) fn parallelism_interval(interval: ParallelismInterval) -> String {
    let upper = interval.upper.map_or_else(|| "∞".to_owned(), ratio);
    range(&ratio(interval.lower), &upper)
}
