//! How far the figures vary over several runs.

use std::io;

use workspan_model::{Metric, Runs, Spread};

use super::page::Page;
use super::table::TableOf;
use crate::figures::{amount, duration, grouped, percent, range, ratio};
use crate::place::{SERIAL_CODE, SERIAL_CODE_SHORT, kind_and_name, place};

const TASKING: &str = "Tasking overhead";
const TASKING_SHARE: &str = "… of the work";

/// Prints how far the totals of `runs` vary; their tasking overheads only `with_tasking`.
pub(super) fn totals(
    page: &mut Page<'_>,
    runs: &Runs,
    metric: &Metric,
    with_tasking: bool,
) -> io::Result<()> {
    let totals = &runs.totals;
    let rows = [
        (
            "Work",
            spread(totals.work, |work| amount(work.time(), metric)),
        ),
        (
            "Span",
            spread(totals.span, |span| amount(span.time(), metric)),
        ),
        (
            "Burdened span",
            spread(totals.burdened_span, |span| amount(span.time(), metric)),
        ),
        ("Parallelism", spread(totals.parallelism, ratio)),
        (
            "Burdened parallelism",
            spread(totals.burdened_parallelism, ratio),
        ),
        ("Spawns", spread(totals.spawns, grouped)),
        ("Stolen", spread(totals.stolen, grouped)),
        ("Syncs", spread(totals.syncs, grouped)),
        (
            "Average maximal strand",
            spread(totals.average_strand, |strand| amount(strand, metric)),
        ),
        (
            TASKING,
            spread(totals.tasking_overhead, |overhead| amount(overhead, metric)),
        ),
        (
            TASKING_SHARE,
            spread(totals.tasking_overhead_share, percent),
        ),
        ("Blocked", spread(totals.blocked, duration)),
        ("Elapsed", spread(totals.elapsed, duration)),
    ];
    let is_shown = |name| with_tasking || ![TASKING, TASKING_SHARE].contains(&name);
    page.table(
        TableOf::new(rows.into_iter().filter(|(name, _)| is_shown(name)))
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
            .alternative(SERIAL_CODE, SERIAL_CODE_SHORT)
            .flexible("location", |site| place(&site.medians))
            .left("kind", |site| kind_and_name(&site.medians))
            .right("work", |site| {
                spread(site.work, |work| amount(work.time(), metric)).1
            })
            .right("span", |site| {
                spread(site.span, |span| amount(span.time(), metric)).1
            })
            .right("share of span", |site| {
                spread(site.share_of_span, percent).1
            }),
    )?;
    for site in shown().filter(|site| site.runs < count) {
        page.remark(&format!(
            "{} was reached in {} of {count} runs; its figures are of those",
            place(&site.medians),
            site.runs,
        ))?;
    }
    Ok(())
}

/// The median, and the range from the least to the most.
fn spread<T>(spread: Spread<T>, figure: impl Fn(T) -> String) -> (String, String) {
    let (least, most) = (figure(spread.least), figure(spread.most));
    let extremes = if least == most {
        "the same".to_owned()
    } else {
        range(&least, &most)
    };
    (figure(spread.median), extremes)
}
