//! The quantities of Cilkview's Fig. 6, each with its meaning.

use std::io;

use workspan_model::{Analysis, Metric, Profile};

use super::page::{Figure, Page};
use super::spread;
use crate::figures::{percent, ratio_within};
use crate::sentences::books::spent;
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
    if let Some(books) = &analysis.books {
        page.remark(&spent(books))?;
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
        page.remark(&format!(
            "Tiny tasks, {} of the work, were timed in groups: --exact narrows the ranges of the spans.",
            percent(totals.shared_share)
        ))?;
    }
    Ok(())
}

/// A span is a maximum, so it collects the delays that work averages out.
fn remark_on_delays(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    let totals = &analysis.totals;
    if !analysis.is_open(totals.span) || !analysis.metric.is_time() {
        return Ok(());
    }
    page.remark(&if !analysis.shows_delays {
        "The task dag was not recorded in full, so how much delays lengthened the span is not known: the span is at \
         most this, the parallelism at least this."
            .to_owned()
    } else if analysis.runs.is_some() {
        format!(
            "Some strands are delayed in every run: allowing for that, the parallelism is {}.",
            ratio_within(totals.parallelism)
        )
    } else {
        "One run cannot tell a strand that was delayed from one that takes longer: the ranges allow for both. \
         --runs 3 narrows them."
            .to_owned()
    })
}

fn of_one_run(profile: &Profile, analysis: &Analysis) -> Vec<Figure> {
    let figures = TOTALS.iter().filter_map(|total| {
        Some(Figure {
            name: total.name.to_owned(),
            figure: total.words(profile, analysis),
            meaning: (total.meaning)(profile, analysis)?,
        })
    });
    figures.collect()
}

/// The unit of a count, or the name of a time.
fn unit(metric: &Metric) -> &str {
    if metric.is_time() {
        &metric.name
    } else {
        &metric.unit
    }
}
