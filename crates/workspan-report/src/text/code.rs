//! Pieces of code on a page.

use std::io;

use workspan_model::{DagFigures, Estimate, ExpectedSpeedup, Metric, Profile, Span, WhatIf};

use super::page::{Figure, Page};
use super::table::{TableOf, or_none};
use crate::CodeView;
use crate::notation::figures::{amount, grouped, percent, ratio, short_count, span_within};
use crate::sentences::lock::lock_limit;
use crate::sentences::{said, words};

/// At most this many parts of a critical path are listed.
const MOST_LISTED: usize = 8;

/// Warns if the dag does not cover the whole run.
pub(super) fn remark_on_truncation(page: &mut Page<'_>, view: &CodeView<'_>) -> io::Result<()> {
    if view.is_truncated {
        page.item("!", words("dag", "truncated"))
    } else {
        Ok(())
    }
}

/// Says so if the span is only known within an interval: the bounds of a dag are then not those of
/// the report.
pub(super) fn remark_on_interval(
    page: &mut Page<'_>,
    profile: &Profile,
    span: Estimate<Span>,
) -> io::Result<()> {
    let metric = &profile.run.metric;
    if !span.is_wide() {
        return Ok(());
    }
    let (range, taken) = (
        span_within(span, metric),
        amount(profile.span.time(), metric),
    );
    page.item("≈", &said!("dag", "interval", range = range, taken = taken))
}

/// Prints the figures before and after a change.
pub(super) fn comparison(page: &mut Page<'_>, what_if: &WhatIf, metric: &Metric) -> io::Result<()> {
    let [before, after] = [&what_if.before, &what_if.after].map(|dag| figures(dag, metric));
    page.table(
        TableOf::new(before.into_iter().zip(after))
            .left("", |(before, _)| before.name.clone())
            .right("as it is", |(before, _)| before.figure.clone())
            .right("changed", |(_, after)| after.figure.clone())
            .words("", |(before, _)| before.meaning.clone()),
    )
}

/// The figures of a dag.
pub(super) fn figures(dag: &DagFigures, metric: &Metric) -> Vec<Figure> {
    super::page::figures! {
        "Work" => amount(dag.work.time(), metric), "{} of all strands", metric.noun();
        "Span" => amount(dag.span.time(), metric), "longest chain of dependent strands";
        "Burdened span" => amount(dag.burdened_span.time(), metric), "with the cost of moving tasks";
        "Parallelism" => ratio(dag.parallelism), "work / span, the limit to speedup";
        "Burdened parallelism" => ratio(dag.burdened_parallelism), "work / burdened span";
        "Tasks" => grouped(dag.tasks), "that another core could take";
    }
}

/// Prints the speedup on numbers of cores, before and after a change.
pub(super) fn speedups(page: &mut Page<'_>, what_if: &WhatIf, metric: &Metric) -> io::Result<()> {
    page.heading("Speedup")?;
    let predicted = |speedup: &ExpectedSpeedup| or_none(speedup.predicted.map(ratio));
    let bounds = |speedup: &ExpectedSpeedup| {
        let bounds = speedup.bounds;
        format!("{} … {}", ratio(bounds.lower), ratio(bounds.upper))
    };
    page.table(
        TableOf::new(&what_if.speedup)
            .right("\ncores", |change| change.cores)
            .right("as it is\npredicted", |change| predicted(&change.before))
            .right("\nbounds", |change| bounds(&change.before))
            .right("changed\npredicted", |change| predicted(&change.after))
            .right("\nbounds", |change| bounds(&change.after)),
    )?;
    page.remark(words("remark", "speedups"))?;
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
    let parts = figures.path.iter().filter(|part| part.share > 0.0);
    page.table(
        TableOf::new(parts.clone().take(MOST_LISTED))
            .right("share", |part| percent(part.share))
            .right(metric.noun(), |part| amount(part.span.time(), metric))
            .right("strands", |part| short_count(part.strands))
            .right("longest", |part| amount(part.longest, metric))
            .flexible("code", |part| view.words(part.code)),
    )?;
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
