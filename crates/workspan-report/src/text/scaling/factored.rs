//! Factored speedups.

use std::io;

use workspan_model::{Estimate, Factored, FactoredCurve, Nanos, TimeEstimate};

use super::{derived_interval, median_interval, narrow_interval, on};
use crate::ScalingReport;
use crate::figures::{duration, ratio, signed_percent};
use crate::plot::Plot;
use crate::sentences::scaling as sentences;
use crate::text::page::Page;
use crate::text::table::TableOf;

/// Prints the curves, their plot, the gaps between them, and their shapes in words.
pub(super) fn print(
    page: &mut Page<'_>,
    report: &ScalingReport<'_>,
    factored: &Factored,
) -> io::Result<()> {
    page.heading("Factored speedups")?;
    curves(page, factored)?;
    page.remark(
        "over the baseline; maximal: without idle time and inflation; idle-time-specific: without inflation; \
         inflation-specific: without idle time",
    )?;
    page.gap()?;
    page.drawing(
        &Plot::factored(&report.program(), factored).lines(page.columns(), page.screen().charset),
    )?;
    page.heading("Where the cores' time goes")?;
    times(page, factored)?;
    gaps(page, factored)?;
    words(page, factored)
}

/// Prints a row for each number of threads, and below it the intervals.
fn curves(page: &mut Page<'_>, factored: &Factored) -> io::Result<()> {
    let shown = FactoredCurve::ALL.into_iter().filter(|&curve| {
        let mut points = factored.points.iter();
        points.any(|point| point.speedup(curve).is_some())
    });
    let shown: Vec<FactoredCurve> = shown.collect();
    // Below the speedups of a number of threads come their intervals.
    let lines = factored.points.iter().flat_map(|point| {
        let mut speedups = shown.iter().filter_map(|&curve| point.speedup(curve));
        let has_intervals = speedups.any(|speedup| !narrow_interval(speedup).is_empty());
        let values = (
            point,
            (|speedup| ratio(speedup.value)) as fn(Estimate<f64>) -> String,
        );
        let intervals = (point, narrow_interval as fn(Estimate<f64>) -> String);
        std::iter::once((true, values)).chain(has_intervals.then_some((false, intervals)))
    });
    let table = TableOf::new(lines).right("threads", |(is_first, (point, _))| match is_first {
        true => point.threads.to_string(),
        false => String::new(),
    });
    page.table(shown.iter().fold(table, |table, &curve| {
        let heading = curve.name().replace("-specific", "-\nspecific");
        table.right(&heading, |(_, (point, cell))| {
            point.speedup(curve).map(cell).unwrap_or_default()
        })
    }))
}

/// Prints the times that the curves follow from.
fn times(page: &mut Page<'_>, factored: &Factored) -> io::Result<()> {
    page.field(
        "T_s",
        &with_interval(
            &factored.baseline,
            match (factored.is_baseline_one, &factored.elision) {
                (true, None) => {
                    "that of the program on one thread, since there is no baseline: overheads are not seen"
                }
                (true, Some(_)) => {
                    "that of the program on one thread, since there is no baseline: algorithmic overhead is not seen"
                }
                (false, _) => "the baseline's time",
            },
        ),
    )?;
    if let Some(elision) = &factored.elision {
        page.field(
            "T_elision",
            &with_interval(elision, "with all tasks run in place"),
        )?;
    }
    let one = factored.points.first().map(|point| &point.one);
    if let Some(one) = one.filter(|_| !factored.is_one_per_threads) {
        page.field("T_1", &with_interval(one, "on one thread"))?;
    }
    let value = |time: Option<Estimate<Nanos>>| time.map(|time| sentences::signed(time.value));
    let interval = |time: Option<Estimate<Nanos>>| time.map(derived_interval).unwrap_or_default();
    page.table(
        TableOf::new(&factored.points)
            .right("threads", |it| it.threads)
            .when(factored.is_one_per_threads, |table| {
                table.right("T_1^P", |it| duration(it.one.median.value))
            })
            .right("T_P", |it| duration(it.time.median.value))
            .right("I_P", |it| value(it.idle).unwrap_or_default())
            .left("", |it| interval(it.idle))
            .right("F_P", |it| value(it.inflation).unwrap_or_default())
            .left("", |it| interval(it.inflation)),
    )?;
    page.remark(
        "I_P: idle time of all cores; F_P = P · T_P − I_P − (T_1 − I_1): work inflation. Of I_P and F_P means, else medians",
    )
}

fn with_interval(time: &TimeEstimate, what: &str) -> String {
    let interval = median_interval(time);
    let gap = if interval.is_empty() { "" } else { " " };
    format!("{}{gap}{interval}, {what}", duration(time.median.value))
}

fn gaps(page: &mut Page<'_>, factored: &Factored) -> io::Result<()> {
    let gaps = &factored.gaps;
    let Some(first) = gaps.first() else {
        return Ok(());
    };
    page.gap()?;
    page.table(
        TableOf::new(gaps)
            .left(
                &format!("lost on {} to", sentences::threads(first.threads)),
                |gap| sentences::gap(gap.lost_to),
            )
            .right("time", |gap| sentences::signed(gap.time.value))
            .left("", |gap| derived_interval(gap.time))
            .right("share", |gap| signed_percent(gap.share))
            .right("speedup", |gap| ratio(gap.speedup.value)),
    )?;
    let rest = if factored.is_baseline_one && factored.elision.is_some() {
        "T_elision"
    } else {
        "T_s"
    };
    page.remark(&format!(
        "time: of all cores; idle time: I_P − I_1, as T_1 contains I_1; share: of P · T_P, the rest of which is {rest}; \
         speedup: how far the two curves are apart. A to D are the gaps of Acar et al. §2.4"
    ))
}

fn words(page: &mut Page<'_>, factored: &Factored) -> io::Result<()> {
    page.gap()?;
    match sentences::largest_gap(factored) {
        Some(sentence) => page.sentence(&sentence)?,
        None => page.sentence("Nothing is lost that the runs are sure of.")?,
    }
    for &curvature in &factored.curvature {
        page.sentence(sentences::curvature(curvature))?;
    }
    if factored.is_baseline_slow {
        page.item(
            "!",
            "The baseline is slower than the parallel program on one thread: it is not the best sequential program to compare \
             with, and the speedups over it flatter.",
        )?;
    }
    if let Some(sentence) = sentences::blocked(factored) {
        page.item("!", &sentence)?;
    }
    let lacked = factored.points.iter();
    let lacked = lacked.map(|point| (on(point.threads), point.lacked));
    if let Some(sentence) = sentences::lacked("these runs", lacked) {
        page.item("!", &sentence)?;
    }
    let by_threads = factored
        .imbalances
        .chunk_by(|one, other| one.threads == other.threads);
    for imbalances in by_threads {
        page.item("!", &sentences::imbalance(imbalances))?;
    }
    if let Some(measuring) = factored.most_of_measuring() {
        page.remark(&sentences::measuring(
            measuring.low,
            measuring.high,
            measuring.value,
        ))?;
    }
    Ok(())
}
