//! Factored speedups.

use std::io;

use workspan_model::{
    DerivedTime, Factored, FactoredCurve, FactoredPoint, RatioEstimate, TimeEstimate,
};

use super::estimates::{derived_interval, median_interval, narrow_interval, on};
use crate::ScalingReport;
use crate::figures::{duration, ratio, signed_percent};
use crate::plot::Plot;
use crate::sentences::scaling as sentences;
use crate::text::page::Page;
use crate::text::table::{Column, Table};

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
    let columns = shown
        .iter()
        .map(|curve| Column::right(&curve.name().replace("-specific", "-\nspecific")));
    let mut table = Table::new(std::iter::once(Column::right("threads")).chain(columns));
    for point in &factored.points {
        let cells = |cell: fn(RatioEstimate) -> String| {
            let speedups = shown.iter().map(|&curve| point.speedup(curve));
            let cells = speedups.map(|speedup| speedup.map(cell).unwrap_or_default());
            cells.collect::<Vec<_>>()
        };
        let values = cells(|speedup| ratio(speedup.value));
        table.row(std::iter::once(point.threads.to_string()).chain(values));
        let intervals = cells(narrow_interval);
        if intervals.iter().any(|interval| !interval.is_empty()) {
            table.row(std::iter::once(String::new()).chain(intervals));
        }
    }
    page.table(&table)
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
    let mut columns = vec![Column::right("threads")];
    columns.extend(factored.is_one_per_threads.then(|| Column::right("T_1^P")));
    columns.extend(["T_P", "I_P"].map(Column::right));
    columns.push(Column::left(""));
    columns.push(Column::right("F_P"));
    columns.push(Column::left(""));
    let mut table = Table::new(columns);
    for point in &factored.points {
        let one = factored
            .is_one_per_threads
            .then(|| duration(point.one.median));
        let threads = std::iter::once(point.threads.to_string());
        table.row(threads.chain(one).chain(point_times(point)));
    }
    page.table(&table)?;
    page.remark(
        "I_P: idle time of all cores; F_P = P · T_P − I_P − (T_1 − I_1): work inflation. Of I_P and F_P means, else medians",
    )
}

fn with_interval(time: &TimeEstimate, what: &str) -> String {
    let interval = median_interval(time);
    let gap = if interval.is_empty() { "" } else { " " };
    format!("{}{gap}{interval}, {what}", duration(time.median))
}

fn point_times(point: &FactoredPoint) -> [String; 5] {
    let value = |time: Option<DerivedTime>| time.map(|time| sentences::signed(time.value));
    [
        duration(point.time.median),
        value(point.idle).unwrap_or_default(),
        point.idle.map(derived_interval).unwrap_or_default(),
        value(point.inflation).unwrap_or_default(),
        point.inflation.map(derived_interval).unwrap_or_default(),
    ]
}

fn gaps(page: &mut Page<'_>, factored: &Factored) -> io::Result<()> {
    let gaps = &factored.gaps;
    let Some(first) = gaps.first() else {
        return Ok(());
    };
    page.gap()?;
    let mut table = Table::new([
        Column::left(&format!("lost on {} to", sentences::threads(first.threads))),
        Column::right("time"),
        Column::left(""),
        Column::right("share"),
        Column::right("speedup"),
    ]);
    for gap in gaps {
        table.row([
            sentences::gap(gap.lost_to).to_owned(),
            sentences::signed(gap.time.value),
            derived_interval(gap.time),
            signed_percent(gap.share),
            ratio(gap.speedup.value),
        ]);
    }
    page.table(&table)?;
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
