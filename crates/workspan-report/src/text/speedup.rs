//! The speedup to expect.

use std::io;

use workspan_model::{Analysis, Estimate, Profile, SpeedupCurve};

use super::page::Page;
use super::table::TableOf;
use crate::Plot;
use crate::sentences;

/// From this many times the median on, the most that is predicted is shown, too.
const WIDE: f64 = 1.05;

/// The rows of predicted speedups: the medians, and the most if it is much more.
pub(super) fn predicted(curve: &SpeedupCurve) -> Vec<(&'static str, Vec<f64>)> {
    let speedups = curve.predictions.iter().map(|it| it.speedup);
    let mut rows = vec![median(curve)];
    let is_wide = |speedup: Estimate<f64>| speedup.high > WIDE * speedup.value;
    if speedups.clone().any(is_wide) {
        let most = speedups.map(|speedup| speedup.high);
        rows.push(("predicted, at most", most.collect()));
    }
    rows
}

/// The prediction's middle as a row.
pub(super) fn median(curve: &SpeedupCurve) -> (&'static str, Vec<f64>) {
    let speedups = curve.predictions.iter().map(|it| it.speedup.value);
    ("predicted", speedups.collect())
}

/// Draws and prints the bounds and the prediction for each number of cores.
pub(super) fn print(page: &mut Page<'_>, profile: &Profile, analysis: &Analysis) -> io::Result<()> {
    page.heading("Speedup to expect")?;
    let plot = Plot::from_profile(profile, analysis, None);
    page.drawing(&plot.lines(page.columns(), page.screen().charset))?;
    page.gap()?;
    let assumed = profile.run.assumed_cores;
    let bounds = analysis.speedup.iter();
    let lower = bounds.clone().map(|bounds| bounds.lower);
    let upper = bounds.map(|bounds| bounds.upper);
    let mut rows: Vec<(&str, Vec<f64>)> =
        vec![("lower", lower.collect()), ("upper", upper.collect())];
    if let Some(curve) = &analysis.predicted {
        rows.splice(1..1, predicted(curve));
    }
    let table = TableOf::new(rows).left("cores", |(name, _)| name.to_owned());
    let cores = analysis.speedup.iter().map(|on| on.cores);
    page.table(table.cores(cores, assumed, |(_, figures), at| figures[at]))?;
    if assumed > 0 {
        page.remark("* the number of cores that the run assumed")?;
    }
    if let Some(curve) = &analysis.predicted {
        page.remark(&sentences::predicted(curve, analysis))?;
    }
    Ok(())
}
