//! The quantities of Cilkview's Fig. 6, each with its meaning.

use std::io;

use workspan_model::{
    Analysis, Metric, Nanos, ParallelismInterval, Profile, Span, SpanInterval, knows_tasking_costs,
};

use super::measurement::threads;
use super::page::{Figure, Page, figures};
use super::spread;
use super::table::NONE;
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
        None => page.figures(of_one_run(profile, analysis))?,
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

fn of_one_run(profile: &Profile, analysis: &Analysis) -> Vec<Figure> {
    let (totals, metric) = (&analysis.totals, &analysis.metric);
    let overhead = totals.tasking_overhead;
    let threads = threads(profile).map_or_else(String::new, |threads| format!(", {threads}"));
    let (overhead, of_work) = if knows_tasking_costs(profile) {
        let share = format!("{} of the work", percent(overhead.share));
        (amount(overhead.time, metric), share)
    } else {
        (
            NONE.to_owned(),
            "what a task costs this runtime is not measured".to_owned(),
        )
    };
    let (blocked, waits) = if metric.is_default() {
        (
            duration(totals.blocked),
            "sleep, I/O, locks; part of the work",
        )
    } else {
        (NONE.to_owned(), "only known where the time is measured")
    };
    figures! {
        "Work" => amount(totals.work.time(), metric), "{} of all strands", metric.noun();
        "Span" => span(analysis, totals.span, totals.span_interval), "longest chain of dependent strands";
        "Burdened span" => span(analysis, totals.burdened_span, totals.burdened_span_interval), "with {} a task for moving it", amount(profile.run.burden, metric);
        "Parallelism" => parallelism(analysis, totals.parallelism, totals.span_interval, totals.parallelism_interval), "work / span, the limit to speedup";
        "Burdened parallelism" => parallelism(analysis, totals.burdened_parallelism, totals.burdened_span_interval, totals.burdened_parallelism_interval), "work / burdened span";
        "Spawns" => grouped(totals.spawns), "tasks created, {} stolen", grouped(totals.stolen);
        "Syncs" => grouped(totals.syncs), "waits for tasks";
        "Average maximal strand" => amount(totals.average_strand, metric), "work / (1 + 2 spawns + syncs)";
        "Tasking overhead" => overhead, "{of_work}";
        "Blocked" => blocked, "{waits}";
        "Elapsed" => duration(totals.elapsed), "wall clock{threads}";
    }
}

/// The unit of a count, or the name of a time.
fn unit(metric: &Metric) -> &str {
    if metric.is_time() {
        &metric.name
    } else {
        &metric.unit
    }
}

/// A span, or its interval if that is wide enough to matter.
fn span(analysis: &Analysis, span: Span, within: SpanInterval) -> String {
    let metric = &analysis.metric;
    match (within.is_wide, analysis.shows_delays) {
        (false, _) => amount(span.time(), metric),
        (true, true) => interval(within, metric),
        (true, false) => format!("at most {}", amount(within.upper.time(), metric)),
    }
}

pub(super) fn interval(span: SpanInterval, metric: &Metric) -> String {
    let [lower, upper] = [span.lower, span.upper].map(|span| span.time().as_nanos() as f64);
    let (lower, upper, _) = outwards(lower, upper);
    let [lower, upper] = [lower, upper].map(|nanos| amount(Nanos::from_nanos_f64(nanos), metric));
    range(&lower, &upper)
}

/// A parallelism, or its interval if that of its span is wide enough to matter.
fn parallelism(
    analysis: &Analysis,
    parallelism: f64,
    span: SpanInterval,
    interval: ParallelismInterval,
) -> String {
    match span.is_wide {
        true => parallelism_interval(analysis.known(interval)),
        false => ratio(parallelism),
    }
}

pub(super) fn parallelism_interval(interval: ParallelismInterval) -> String {
    ratio_within(interval.lower, interval.upper)
}
