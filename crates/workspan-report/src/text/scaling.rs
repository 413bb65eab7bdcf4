//! What a sweep says.

mod bandwidth;
mod factored;
mod idle;
mod speedup;

use std::io;

use workspan_model::{DerivedTime, Nanos, RatioEstimate, TimeEstimate};

use super::page::Page;
use crate::figures::{duration, range, ratio};
use crate::sentences::scaling as sentences;
use crate::{ScalingReport, Screen};

/// Writes `report` on a page.
pub(crate) fn scaling(
    report: &ScalingReport<'_>,
    screen: Screen,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let mut page = Page::new(output, screen);
    if let Some(scaling) = report.scaling {
        speedup::print(&mut page, report, scaling)?;
    }
    if let Some(factored) = report.factored {
        factored::print(&mut page, report, factored)?;
        idle::print(&mut page, report)?;
    }
    if let Some(bandwidth) = report.bandwidth {
        bandwidth::print(&mut page, bandwidth)?;
    }
    measurement(&mut page, report)
}

/// How the figures came about.
fn measurement(page: &mut Page<'_>, report: &ScalingReport<'_>) -> io::Result<()> {
    let sweep = report.sweep;
    let machine = &sweep.machine;
    page.heading("Measurement")?;
    page.field("Program", &sweep.command.join(" "))?;
    if let Some(baseline) = &sweep.baseline {
        page.field("Baseline", &baseline.join(" "))?;
    }
    if let Some(stand_in) = &sweep.stand_in {
        page.field(
            "OpenMP",
            &format!("{stand_in} in the place of the program's own runtime"),
        )?;
    }
    if let Some(launcher) = &sweep.launcher {
        page.field("Launcher", launcher)?;
    }
    let physical = match machine.physical_cores {
        Some(physical) if physical != machine.cores => {
            format!("{} logical on {physical} physical", machine.cores)
        }
        _ => machine.cores.to_string(),
    };
    let cores = if machine.cores == 1 { "core" } else { "cores" };
    let sockets = match machine.sockets {
        Some(sockets) if sockets > 1 => format!(" on {sockets} sockets"),
        _ => String::new(),
    };
    page.field(
        "Machine",
        &format!(
            "{}, {physical} {cores}{sockets}, {} {}",
            machine.processor.as_deref().unwrap_or("unknown processor"),
            machine.os,
            machine.architecture,
        ),
    )?;
    page.field(
        "Threads",
        &format!(
            "{}; {}",
            sentences::told_threads(sweep),
            sentences::pinning(sweep.pinning)
        ),
    )?;
    for condition in &machine.conditions {
        page.item("!", &sentences::condition_sentence(condition))?;
    }
    page.remark(
        "Intervals are of 95%: of medians by order statistics, of means and their ratios by a bootstrap, which is too narrow \
         for few runs (of 5 it is rather one of 84%, of 10 of 90%).",
    )
}

/// The interval of a median.
fn median_interval(time: &TimeEstimate) -> String {
    interval(time.median_low < time.median_high, || {
        range(&duration(time.median_low), &duration(time.median_high))
    })
}

/// The interval of a ratio.
fn ratio_interval(estimate: RatioEstimate) -> String {
    let (low, high) = (ratio(estimate.low), ratio(estimate.high));
    interval(low != high, || range(&low, &high))
}

/// The interval of a ratio where there is little room.
fn narrow_interval(estimate: RatioEstimate) -> String {
    let (low, high) = (ratio(estimate.low), ratio(estimate.high));
    match low == high {
        true => String::new(),
        false => format!("{low}…{high}"),
    }
}

/// The interval of a time that may be negative.
fn derived_interval(time: DerivedTime) -> String {
    let (low, high) = (sentences::signed(time.low), sentences::signed(time.high));
    interval(low != high, || range(&low, &high))
}

/// An interval in brackets, or nothing.
fn interval(is_open: bool, text: impl FnOnce() -> String) -> String {
    if is_open {
        format!("({})", text())
    } else {
        String::new()
    }
}

/// On so many threads.
fn on(threads: u32) -> String {
    format!("on {}", sentences::threads(threads))
}

/// Says how little is known of `figure` where there are too few runs of one of its times.
fn few_runs<'a>(
    page: &mut Page<'_>,
    figure: &str,
    times: impl Iterator<Item = &'a TimeEstimate>,
) -> io::Result<()> {
    let fewest = times.min_by_key(|time| time.runs);
    match fewest.filter(|time| time.half_width().is_none()) {
        Some(time) => page.remark(&sentences::few_runs(
            figure,
            time.runs,
            time.median_confidence,
        )),
        None => Ok(()),
    }
}

/// The shortest of these times, if it is too short.
fn too_short<'a>(times: impl Iterator<Item = &'a TimeEstimate>) -> Option<Nanos> {
    let short = times.filter(|time| time.is_too_short());
    short.map(|time| time.median).min()
}

fn or_empty(text: Option<String>) -> String {
    text.unwrap_or_default()
}
