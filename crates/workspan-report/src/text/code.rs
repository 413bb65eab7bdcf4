//! Pieces of code on a page.

use std::io;

use workspan_model::{DagFigures, ExpectedSpeedup, Metric, Profile, SpanInterval, WhatIf};

use super::page::Page;
use super::table::{Column, Table};
use super::totals::interval;
use crate::CodeView;
use crate::figures::{amount, grouped, percent, ratio, short_count};
use crate::sentences::lock::lock_limit;

/// At most this many parts of a critical path are listed.
const MOST_LISTED: usize = 8;

/// Warns if the dag does not cover the whole run.
pub(super) fn remark_on_truncation(page: &mut Page<'_>, view: &CodeView<'_>) -> io::Result<()> {
    if view.is_truncated {
        page.item(
            "!",
            "The record of the task dag ends before the program did: all of this is of what came before. What ran last is \
             not told whole, so that the parallelism may be told too high.",
        )
    } else {
        Ok(())
    }
}

/// Says so if the span is only known within an interval: the bounds of a dag are then not those of
/// the report.
pub(super) fn remark_on_interval(
    page: &mut Page<'_>,
    profile: &Profile,
    span: SpanInterval,
) -> io::Result<()> {
    let metric = &profile.run.metric;
    if !span.is_wide {
        return Ok(());
    }
    page.item(
        "≈",
        &format!(
            "The span is known to be within {}. The bounds here take {}; those of `workspan report` take the whole range.",
            interval(span, metric),
            amount(profile.span.time(), metric),
        ),
    )
}

/// Prints the figures before and after a change.
pub(super) fn comparison(page: &mut Page<'_>, what_if: &WhatIf, metric: &Metric) -> io::Result<()> {
    let (before, after) = (&what_if.before, &what_if.after);
    let mut table = Table::new([
        Column::left(""),
        Column::right("as it is"),
        Column::right("changed"),
        Column::words(""),
    ]);
    let column = |dag: &DagFigures| {
        [
            amount(dag.work.time(), metric),
            amount(dag.span.time(), metric),
            amount(dag.burdened_span.time(), metric),
            ratio(dag.parallelism),
            ratio(dag.burdened_parallelism),
            grouped(dag.tasks),
        ]
    };
    let work = format!("{} of all strands", metric.noun());
    let meanings: [(&str, &str); 6] = [
        ("Work", &work),
        ("Span", "longest chain of dependent strands"),
        ("Burdened span", "with the cost of moving tasks"),
        ("Parallelism", "work / span, the limit to speedup"),
        ("Burdened parallelism", "work / burdened span"),
        ("Tasks", "that another core could take"),
    ];
    let figures = column(before).into_iter().zip(column(after));
    for ((name, meaning), (before, after)) in meanings.into_iter().zip(figures) {
        table.row([name.to_owned(), before, after, meaning.to_owned()]);
    }
    page.table(&table)
}

/// Prints the speedup on numbers of cores, before and after a change.
pub(super) fn speedups(page: &mut Page<'_>, what_if: &WhatIf, metric: &Metric) -> io::Result<()> {
    page.heading("Speedup")?;
    let mut table = Table::new([
        Column::right("\ncores"),
        Column::right("as it is\npredicted"),
        Column::right("\nbounds"),
        Column::right("changed\npredicted"),
        Column::right("\nbounds"),
    ]);
    for change in &what_if.speedup {
        let cells = |speedup: &ExpectedSpeedup| {
            let bounds = &speedup.bounds;
            [
                speedup.predicted.map_or_else(|| "–".to_owned(), ratio),
                format!("{} … {}", ratio(bounds.lower), ratio(bounds.upper)),
            ]
        };
        let cores = [change.cores.to_string()].into_iter();
        table.row(
            cores
                .chain(cells(&change.before))
                .chain(cells(&change.after)),
        );
    }
    page.table(&table)?;
    page.remark(
        "Against the program as it is on one core. Predicted: the median of simulated runs.",
    )?;
    match &what_if.lock {
        Some(limit) => page.item("!", &lock_limit(limit, metric)),
        None => Ok(()),
    }
}

/// Prints what a critical path is made of.
pub(super) fn path(
    page: &mut Page<'_>,
    title: &str,
    figures: &DagFigures,
    view: &CodeView<'_>,
) -> io::Result<()> {
    let metric = view.metric();
    page.heading(title)?;
    let mut table = Table::new([
        Column::right("share"),
        Column::right(metric.noun()),
        Column::right("strands"),
        Column::right("longest"),
        Column::flexible("code"),
    ]);
    let parts = figures.path.iter().filter(|part| part.share > 0.0);
    for part in parts.clone().take(MOST_LISTED) {
        table.row([
            percent(part.share),
            amount(part.span.time(), metric),
            short_count(part.strands),
            amount(part.longest, metric),
            view.words(part.code),
        ]);
    }
    page.table(&table)?;
    match parts.count().saturating_sub(MOST_LISTED) {
        0 => Ok(()),
        hidden => page.remark(&format!("and {} more", grouped(hidden as u64))),
    }
}

/// Prints where a piece of code is, its source, and which functions run there.
pub(super) fn piece(page: &mut Page<'_>, view: &CodeView<'_>, code: usize) -> io::Result<()> {
    let repeats = view.repeats(code).map(|repeats| format!(" ({repeats})"));
    let phrase = view.phrase(code);
    page.sentence(&format!("{phrase}{}", repeats.unwrap_or_default()))?;
    for line in view.excerpt(code).into_iter().flatten() {
        page.source(line)?;
    }
    if let Some(first) = view.hot(code).first() {
        let functions = view.hot(code).iter().map(|hot| {
            let place = hot.definition.as_ref();
            let place = place.map(|place| format!(" ({}:{})", place.file, place.line));
            let (name, share) = (&hot.function, percent(hot.share));
            format!("{share} {name}{}", place.unwrap_or_default())
        });
        page.remark(&format!(
            "Of {:.0} samples in the same construct: {}",
            first.samples,
            functions.collect::<Vec<_>>().join(", ")
        ))?;
    }
    Ok(())
}
