//! The quantities of Cilkview's Fig. 6, each with its meaning.

use std::io;

use workspan_model::{Analysis, Metric, Profile};

use super::page::{Figure, Page};
use super::spread;
use crate::notation::figures::{percent, ratio_within};
use crate::sentences::books::{efficiency, spent};
use crate::sentences::said;
use crate::totals::TOTALS;

pub(super) fn print(page: &mut Page<'_>, profile: &Profile, analysis: &Analysis) -> io::Result<()> {
    page.heading(&if analysis.metric.is_default() {
        "Parallelism profile".to_owned()
    } else {
        format!("Parallelism profile, in {}", unit(&analysis.metric))
    })?;
    match &analysis.runs {
        Some(runs) => spread::totals(page, profile, runs)?,
        None => page.figures(of_one_run(profile, analysis))?,
    }
    if let Some(spent) = spent(analysis) {
        page.remark(&spent)?;
    }
    if let Some(efficiency) = efficiency(analysis) {
        page.remark(&efficiency)?;
    }
    remark_on_intervals(page, analysis)?;
    remark_on_delays(page, analysis)
}

/// From this share of the work on, tasks that were timed in groups explain a wide interval.
const LEAST_SHARED: f64 = 0.01;

fn remark_on_intervals(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    let totals = &analysis.totals;
    let is_wide = analysis.is_open(totals.span) || analysis.is_open(totals.burdened_span);
    if is_wide && totals.shared_share >= LEAST_SHARED {
        let share = percent(totals.shared_share);
        page.remark(&said!("span", "shared", share = share))?;
    }
    Ok(())
}

/// A span is a maximum, so it collects the delays that work averages out.
fn remark_on_delays(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    let totals = &analysis.totals;
    if !analysis.is_open(totals.span) || !analysis.metric.is_time() {
        return Ok(());
    }
    let known = match (analysis.shows_delays, &analysis.runs) {
        (false, _) => "at_most",
        (true, Some(_)) => "several_runs",
        (true, None) => "one_run",
    };
    let parallelism = ratio_within(totals.parallelism);
    page.remark(&said!("span", known, parallelism = parallelism))
}

fn of_one_run(profile: &Profile, analysis: &Analysis) -> Vec<Figure> {
    let figures = TOTALS.iter().filter_map(|total| {
        Some(Figure {
            name: total.name?.to_owned(),
            figure: total.words(profile, analysis),
            meaning: total.meaning?(profile, analysis),
        })
    });
    figures.collect()
}

/// The unit of a count, or the name of a time.
pub(super) fn unit(metric: &Metric) -> &str {
    if metric.is_time() {
        &metric.name
    } else {
        &metric.unit
    }
}
