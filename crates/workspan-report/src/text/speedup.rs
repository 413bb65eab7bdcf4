//! The speedup to expect.

use std::io;

use workspan_model::{Analysis, Prediction, Profile, SpeedupBounds};

use super::page::Page;
use super::table::{Column, Table};
use crate::Plot;
use crate::figures::ratio;
use crate::sentences;

/// From this many times the median on, the most that is predicted is shown, too.
const WIDE: f64 = 1.05;

/// Draws and prints the bounds and the prediction for each number of cores.
pub(super) fn print(page: &mut Page<'_>, profile: &Profile, analysis: &Analysis) -> io::Result<()> {
    page.heading("Speedup to expect")?;
    let plot = Plot::from_profile(profile, analysis, None);
    page.drawing(&plot.lines(page.columns(), page.screen().charset))?;
    page.gap()?;
    let assumed = profile.run.assumed_cores;
    let cores = analysis.speedup.iter().map(|bounds| {
        let mark = if bounds.cores == assumed { "*" } else { "" };
        Column::right(&format!("{}{mark}", bounds.cores))
    });
    let mut table = Table::new(std::iter::once(Column::left("cores")).chain(cores));
    let row = |name: &str, bound: fn(&SpeedupBounds) -> f64| {
        let bounds = analysis.speedup.iter().map(|bounds| ratio(bound(bounds)));
        std::iter::once(name.to_owned())
            .chain(bounds)
            .collect::<Vec<_>>()
    };
    table.row(row("lower", |bounds| bounds.lower));
    if let Some(curve) = &analysis.predicted {
        let row = |name: &str, speedup: fn(&Prediction) -> f64| {
            let speedups = curve.predictions.iter().map(speedup).map(ratio);
            std::iter::once(name.to_owned())
                .chain(speedups)
                .collect::<Vec<_>>()
        };
        let is_wide = |prediction: &Prediction| prediction.most > WIDE * prediction.median.speedup;
        table.row(row("predicted", |prediction| prediction.median.speedup));
        if curve.predictions.iter().any(is_wide) {
            table.row(row("predicted, at most", |prediction| prediction.most));
        }
    }
    table.row(row("upper", |bounds| bounds.upper));
    page.table(&table)?;
    if assumed > 0 {
        page.remark("* the number of cores that the run assumed")?;
    }
    if let Some(curve) = &analysis.predicted {
        page.remark(&sentences::predicted(curve, analysis))?;
    }
    Ok(())
}
