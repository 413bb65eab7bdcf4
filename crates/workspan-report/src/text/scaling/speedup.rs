//! Measured speedups, next to those expected.

use std::io;

use workspan_model::{Scaling, ScalingPoint};

use super::estimates::{few_runs, median_interval, on, ratio_interval, too_short};
use crate::ScalingReport;
use crate::figures::{duration, percent, ratio};
use crate::plot::Plot;
use crate::sentences::scaling as sentences;
use crate::text::page::Page;
use crate::text::table::TableOf;

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
    page.table(
        TableOf::new(&scaling.points)
            .right("threads", |it| it.threads)
            .right("runs", |it| it.time.runs)
            .right("T_P", |it| duration(it.time.median.value))
            .left("", |it| median_interval(&it.time))
            .right("mean", |it| duration(it.time.mean.value))
            .right("processor time", |it| duration(it.processor)),
    )?;
    few_runs(page, "T_P", scaling.points.iter().map(|point| &point.time))
}

fn speedups(page: &mut Page<'_>, scaling: &Scaling) -> io::Result<()> {
    let has_bounds = scaling.points.iter().any(|point| point.bounds.is_some());
    let or_empty = Option::<String>::unwrap_or_default;
    let predicted = |it: &ScalingPoint| it.predicted.map(|it| ratio(it.median.speedup));
    page.table(
        TableOf::new(&scaling.points)
            .right("threads", |it| it.threads)
            .right("speedup", |it| {
                or_empty(it.speedup.map(|speedup| ratio(speedup.value)))
            })
            .left("", |it| or_empty(it.speedup.map(ratio_interval)))
            .right("efficiency", |it| {
                or_empty(it.efficiency.map(|it| percent(it.value)))
            })
            .when(has_bounds, |table| {
                table
                    .right("lower", |it| {
                        or_empty(it.bounds.map(|bounds| ratio(bounds.lower)))
                    })
                    .right("predicted", |it| or_empty(predicted(it)))
                    .right("upper", |it| {
                        or_empty(it.bounds.map(|bounds| ratio(bounds.upper)))
                    })
                    .left("", |it| if it.is_below_lower { "below" } else { "" })
            }),
    )?;
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
