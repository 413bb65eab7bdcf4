//! Pieces of code on a page.

use std::io;

use workspan_model::{DagFigures, Metric, Profile, WhatIf, totals};

use super::page::Page;
use super::table::{Column, Table};
use super::totals::interval;
use crate::CodeView;
use crate::figures::{amount, grouped, percent, ratio, short_count};
use crate::sentences::lock::lock_limit;

/// How much of a critical path is listed.
const MOST_LISTED: usize = 8;

/// Said of dags that are no whole run.
pub(super) fn remark_on_truncation(page: &mut Page<'_>, view: &CodeView<'_>) -> io::Result<()> {
    match view.is_truncated {
        true => page.item(
            "!",
            "The record of the task dag ends before the program did: all of this is of what came before. What ran last is \
             not told whole, so that the parallelism may be told too high.",
        ),
        false => Ok(()),
    }
}

/// Said where the span is known within limits alone: the bounds of a dag are not those of the report.
pub(super) fn remark_on_interval(page: &mut Page<'_>, profile: &Profile) -> io::Result<()> {
    let metric = &profile.run.metric;
    let span = totals(profile).span_interval;
    if !span.is_open {
        return Ok(());
    }
    page.item(
        "≈",
        &format!(
            "The span is only known to lie within {}, since tiny tasks were timed in groups. The bounds here take {}, \
             those of `workspan report` are of all that it can be.",
            interval(span, metric),
            amount(profile.span.time(), metric),
        ),
    )
}

/// Figures before and after.
pub(super) fn comparison(page: &mut Page<'_>, what_if: &WhatIf, metric: &Metric) -> io::Result<()> {
    let (before, after) = (&what_if.before, &what_if.after);
    let mut table = Table::new([
        Column::left(""),
        Column::right("as it is"),
        Column::right("changed"),
        Column::words(""),
    ]);
    let rows = |of: &DagFigures| {
        [
            amount(of.work.time(), metric),
            amount(of.span.time(), metric),
            amount(of.burdened_span.time(), metric),
            ratio(of.parallelism),
            ratio(of.burdened_parallelism),
            grouped(of.tasks),
        ]
    };
    let of_all = format!("{} of all strands", metric.noun());
    let meanings: [(&str, &str); 6] = [
        ("Work", &of_all),
        ("Span", "longest chain of dependent strands"),
        ("Burdened span", "with the cost of moving tasks"),
        ("Parallelism", "work / span, the limit to speedup"),
        ("Burdened parallelism", "work / burdened span"),
        ("Tasks", "that another core could take"),
    ];
    let figures = rows(before).into_iter().zip(rows(after));
    for ((name, meaning), (before, after)) in meanings.into_iter().zip(figures) {
        table.row([name.to_owned(), before, after, meaning.to_owned()]);
    }
    page.table(&table)
}

/// The speedup on numbers of cores, before and after.
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
        let told = |of: &workspan_model::ExpectedSpeedup| {
            let bounds = format!("{} … {}", ratio(of.bounds.lower), ratio(of.bounds.upper));
            [of.predicted.map_or_else(|| "–".to_owned(), ratio), bounds]
        };
        let cores = [change.cores.to_string()].into_iter();
        table.row(cores.chain(told(&change.before)).chain(told(&change.after)));
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

/// What a critical path is made of.
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
    let worth = figures.path.iter().filter(|part| part.share > 0.0);
    for part in worth.clone().take(MOST_LISTED) {
        table.row([
            percent(part.share),
            amount(part.span.time(), metric),
            short_count(part.strands),
            amount(part.longest, metric),
            view.words(part.code),
        ]);
    }
    page.table(&table)?;
    let hidden = worth.count().saturating_sub(MOST_LISTED);
    match hidden {
        0 => Ok(()),
        hidden => page.remark(&format!("and {} more", grouped(hidden as u64))),
    }
}

/// What there is to say of a piece of code: where it lies, its source, what runs there.
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
