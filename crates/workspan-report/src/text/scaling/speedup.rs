//! Measured speedups, next to those expected.

use std::io;

use workspan_model::Scaling;

use super::estimates::{few_runs, median_interval, on, ratio_interval, too_short};
use crate::ScalingReport;
use crate::figures::{duration, percent, ratio};
use crate::plot::Plot;
use crate::sentences::scaling as sentences;
use crate::text::page::Page;
use crate::text::table::{Column, Table};

/// Prints the times, the speedups, their plot, and remarks on them.
pub(super) fn print(
    page: &mut Page<'_>,
    report: &ScalingReport<'_>,
    scaling: &Scaling,
) -> io::Result<()> {
    page.heading("Measured times")?;
    times(page, scaling)?;
    page.heading("Speedup")?;
    speedups(page, scaling)?;
    if let Some(plot) = Plot::speedup(&report.program(), scaling) {
        page.gap()?;
        page.drawing(&plot.lines(page.columns(), page.screen().charset))?;
    }
    remarks(page, report, scaling)
}

fn times(page: &mut Page<'_>, scaling: &Scaling) -> io::Result<()> {
    let mut table = Table::new([
        Column::right("threads"),
        Column::right("runs"),
        Column::right("T_P"),
        Column::left(""),
        Column::right("mean"),
        Column::right("processor time"),
    ]);
    for point in &scaling.points {
        let time = &point.time;
        table.row([
            point.threads.to_string(),
            time.runs.to_string(),
            duration(time.median),
            median_interval(time),
            duration(time.mean),
            duration(point.processor),
        ]);
    }
    page.table(&table)?;
    few_runs(page, "T_P", scaling.points.iter().map(|point| &point.time))
}

fn speedups(page: &mut Page<'_>, scaling: &Scaling) -> io::Result<()> {
    let has_bounds = scaling.points.iter().any(|point| point.bounds.is_some());
    let mut columns = vec![
        Column::right("threads"),
        Column::right("speedup"),
        Column::left(""),
        Column::right("efficiency"),
    ];
    if has_bounds {
        columns.extend(["lower", "predicted", "upper"].map(Column::right));
        columns.push(Column::left(""));
    }
    let mut table = Table::new(columns);
    for point in &scaling.points {
        let mut cells = vec![
            Some(point.threads.to_string()),
            point.speedup.map(|speedup| ratio(speedup.value)),
            point.speedup.map(ratio_interval),
            point.efficiency.map(|efficiency| percent(efficiency.value)),
        ];
        if has_bounds {
            let predicted = point.predicted.map(|predicted| predicted.median.speedup);
            cells.extend([
                point.bounds.map(|bounds| ratio(bounds.lower)),
                predicted.map(ratio),
                point.bounds.map(|bounds| ratio(bounds.upper)),
                point.is_below_lower.then(|| "below".to_owned()),
            ]);
        }
        table.row(cells.into_iter().map(Option::unwrap_or_default));
    }
    page.table(&table)?;
    if scaling.points.iter().all(|point| point.speedup.is_none()) {
        return page.remark("There is no speedup without a run on one thread that ended well.");
    }
    page.remark("T_1 over T_P, of means; efficiency: the speedup over the threads")
}

fn remarks(page: &mut Page<'_>, report: &ScalingReport<'_>, scaling: &Scaling) -> io::Result<()> {
    let below = scaling.below_lower(report.factored, report.bandwidth);
    for (point, causes) in &below {
        page.item("!", &sentences::below_lower(point, causes))?;
    }
    if below.iter().any(|(_, causes)| causes.len() > 1) {
        let to_try = sentences::to_try(report.factored.is_some(), report.bandwidth.is_some());
        if let Some(to_try) = to_try {
            page.remark(to_try)?;
        }
    }
    let lacked = scaling.points.iter();
    let lacked = lacked.map(|point| (on(point.threads), point.lacked));
    if let Some(sentence) = sentences::lacked("the runs", lacked) {
        page.item("!", &sentence)?;
    }
    if let Some(shortest) = too_short(scaling.points.iter().map(|point| &point.time)) {
        page.item("!", &sentences::too_short(shortest))?;
    }
    if scaling.is_serial() {
        page.item("!", &sentences::serial(report.sweep))?;
    }
    for failed in &scaling.failures {
        page.item("!", &sentences::failed(failed))?;
    }
    if scaling.other_outputs > 0 {
        page.item("!", &sentences::other_outputs(scaling.other_outputs))?;
    }
    Ok(())
}
