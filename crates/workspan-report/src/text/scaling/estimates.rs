//! Estimates from several runs, as text.

use std::io;

use workspan_model::{Estimate, Nanos, TimeEstimate};

use crate::figures::{duration, range, ratio};
use crate::sentences::scaling as sentences;
use crate::text::page::Page;

/// The interval of a median.
pub(super) fn median_interval(time: &TimeEstimate) -> String {
    let Estimate { low, high, .. } = time.median;
    interval(low < high, || range(&duration(low), &duration(high)))
}

/// The interval of a ratio.
pub(super) fn ratio_interval(estimate: Estimate<f64>) -> String {
    let (low, high) = (ratio(estimate.low), ratio(estimate.high));
    interval(low != high, || range(&low, &high))
}

/// The interval of a ratio where there is little room.
pub(super) fn narrow_interval(estimate: Estimate<f64>) -> String {
    let (low, high) = (ratio(estimate.low), ratio(estimate.high));
    if low == high {
        String::new()
    } else {
        format!("{low}…{high}")
    }
}

/// The interval of a time that may be negative.
pub(super) fn derived_interval(time: Estimate<Nanos>) -> String {
    let (low, high) = (sentences::signed(time.low), sentences::signed(time.high));
    interval(low != high, || range(&low, &high))
}

/// An interval in brackets; nothing if it is a single figure.
fn interval(is_range: bool, text: impl FnOnce() -> String) -> String {
    if is_range {
        format!("({})", text())
    } else {
        String::new()
    }
}

/// `on 4 threads`.
pub(super) fn on(threads: u32) -> String {
    format!("on {}", sentences::threads(threads))
}

/// Says how little is known of `figure` if one of its times has too few runs.
pub(super) fn few_runs<'a>(
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

/// The shortest of these times, if it is too short to mean anything.
pub(super) fn too_short<'a>(times: impl Iterator<Item = &'a TimeEstimate>) -> Option<Nanos> {
    let short = times.filter(|time| time.is_too_short());
    short.map(|time| time.median.value).min()
}
