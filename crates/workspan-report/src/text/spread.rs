//! How far the figures vary over several runs.

use std::io;

use workspan_model::{Metric, Nanos, Runs, Spread, Totals};

use super::page::Page;
use super::table::TableOf;
use crate::figures::{amount, duration, grouped, percent, range, ratio};
use crate::place::{SERIAL_CODE, SERIAL_CODE_SHORT, kind_and_name, place};

const TASKING: [&str; 2] = ["Tasking overhead", "… of the work"];

/// Prints how far the totals of `runs` vary; their tasking overheads only `with_tasking`.
pub(super) fn totals(
    page: &mut Page<'_>,
    runs: &Runs,
    metric: &Metric,
    with_tasking: bool,
) -> io::Result<()> {
    type Of<T> = fn(&Totals) -> T;
    let amounts = |name, of: Of<Nanos>| (name, spread(runs.spread(of), |it| amount(it, metric)));
    let times = |name, of: Of<Nanos>| (name, spread(runs.spread(of), duration));
    let counts = |name, of: Of<u64>| (name, spread(runs.spread(of), grouped));
    let ratios = |name, of: Of<f64>| (name, spread(runs.spread(of), ratio));
    let shares = |name, of: Of<f64>| (name, spread(runs.spread(of), percent));
    let rows = [
        amounts("Work", |totals| totals.work.time()),
        amounts("Span", |totals| totals.span.time()),
        amounts("Burdened span", |totals| totals.burdened_span.time()),
        ratios("Parallelism", |totals| totals.parallelism),
        ratios("Burdened parallelism", |totals| totals.burdened_parallelism),
        counts("Spawns", |totals| totals.spawns),
        counts("Stolen", |totals| totals.stolen),
        counts("Syncs", |totals| totals.syncs),
        amounts("Average maximal strand", |totals| totals.average_strand),
        amounts(TASKING[0], |totals| totals.tasking_overhead.time),
        shares(TASKING[1], |totals| totals.tasking_overhead.share),
        times("Blocked", |totals| totals.blocked),
        times("Elapsed", |totals| totals.elapsed),
    ];
    let is_shown = |name: &str| with_tasking || !TASKING.contains(&name);
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
fn spread<T>(spread: Spread<T>, figure: impl Fn(T) -> String) -> (String, String) {
    let (least, most) = (figure(spread.least), figure(spread.most));
    let extremes = if least == most {
        "the same".to_owned()
    } else {
        range(&least, &most)
    };
    (figure(spread.median), extremes)
}
