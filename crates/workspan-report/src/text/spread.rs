//! How far the figures vary over several runs.

use std::io;

use workspan_model::{Estimate, Metric, Profile, Runs};

use super::page::Page;
use super::table::TableOf;
use crate::figures::{amount, ends, percent};
use crate::place::{kind_and_name, place};
use crate::totals::TOTALS;

/// Prints how far the totals of `runs` vary.
pub(super) fn totals(page: &mut Page<'_>, profile: &Profile, runs: &Runs) -> io::Result<()> {
    let known = TOTALS.iter().filter(|total| total.is_known(profile));
    let rows = known.map(|total| {
        let words = |figure| total.unit.words(figure, &profile.run.metric);
        (total.name, spread(runs.spread(total.of), words))
    });
    page.table(
        TableOf::new(rows)
            .left("", |(name, _)| name.to_owned())
            .right("median", |(_, (median, _))| median.clone())
            .left("(least … most)", |(_, (_, extremes))| {
                format!("({extremes})")
            }),
    )?;
    page.remark(&format!(
        "Each over {} runs. All that has no range here is of run {}, the one with the median span.",
        runs.runs.len(),
        runs.shown + 1,
    ))
}

/// Prints how far the figures of the `selected` sites vary; `selected` are indices.
pub(super) fn sites(
    page: &mut Page<'_>,
    runs: &Runs,
    metric: &Metric,
    selected: &[usize],
) -> io::Result<()> {
    let count = runs.runs.len();
    page.heading(&format!("Least … most of {count} runs"))?;
    let shown = || selected.iter().map(|&index| &runs.sites[index]);
    page.table(
        TableOf::new(shown())
            .flexible("location", |site| place(&site.medians))
            .left("kind", |site| kind_and_name(&site.medians))
            .right("work", |site| {
                spread(site.spread(|row| row.on_work.work), |work| {
                    amount(work.time(), metric)
                })
                .1
            })
            .right("span", |site| {
                spread(site.spread(|row| row.on_work.span), |span| {
                    amount(span.time(), metric)
                })
                .1
            })
            .right("share of span", |site| {
                spread(site.spread(|row| row.on_span.share), percent).1
            }),
    )?;
    for site in shown().filter(|site| site.rows.len() < count) {
        page.remark(&format!(
            "{} was reached in {} of {count} runs; its figures are of those",
            place(&site.medians),
            site.rows.len(),
        ))?;
    }
    Ok(())
}

/// The median, and the range from the least to the most.
fn spread<T: Copy>(spread: Estimate<T>, figure: impl Fn(T) -> String) -> (String, String) {
    let extremes = ends(spread, &figure).unwrap_or_else(|| "the same".to_owned());
    (figure(spread.value), extremes)
}
