//! How far the figures vary over several runs.

use std::io;

use workspan_model::{Estimate, Metric, Profile, Runs};

use super::page::Page;
use super::table::TableOf;
use crate::notation::figures::{amount, ends, percent};
use crate::notation::place::{kind_and_name, place};
use crate::totals::TOTALS;

/// Prints how far the totals of `runs` vary.
pub(super) fn totals(page: &mut Page<'_>, profile: &Profile, runs: &Runs) -> io::Result<()> {
    let known = TOTALS.iter().filter(|total| (total.is_known)(profile));
    let rows = known.filter_map(|total| {
        let words = |figure| total.unit.words(figure, &profile.run.metric);
        let spread = runs.spread(total.of);
        Some((total.name?, words(spread.value), extremes(spread, words)))
    });
    page.table(
        TableOf::new(rows)
            .left("", |(name, ..)| name.to_owned())
            .right("median", |(_, median, _)| median.clone())
            .left("(least … most)", |(.., extremes)| format!("({extremes})")),
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
                extremes(site.spread(|row| row.on_work.work), |work| {
                    amount(work.time(), metric)
                })
            })
            .right("span", |site| {
                extremes(site.spread(|row| row.on_work.span), |span| {
                    amount(span.time(), metric)
                })
            })
            .right("share of span", |site| {
                extremes(site.spread(|row| row.on_span.share), percent)
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

/// The range from the least to the most.
fn extremes<T: Copy>(spread: Estimate<T>, figure: impl Fn(T) -> String) -> String {
    ends(spread, figure).unwrap_or_else(|| "the same".to_owned())
}
