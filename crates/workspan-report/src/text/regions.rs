//! The regions that the program names, and single instances of them.

use std::io;

use workspan_model::{Analysis, Metric, Region, RegionFigures, SpeedupBounds};

use super::page::Page;
use super::table::{TableOf, or_none};
use crate::notation::figures::{
    amount, amount_in_words, duration, grouped, percent, ratio, ratio_within, short_count,
    span_within,
};
use crate::sentences::said;

const WRITE_ALL: &str = ", --json and --regions-csv write all";

/// A region, or one instance of it.
struct Row<'a> {
    name: String,
    figures: &'a RegionFigures,
    /// The region; `None` for an instance.
    region: Option<&'a Region>,
}

/// Prints at most `most` regions; `assumed` is the number of cores that the run assumed.
pub(super) fn print(
    page: &mut Page<'_>,
    analysis: &Analysis,
    assumed: u32,
    most: usize,
) -> io::Result<()> {
    let regions = &analysis.regions;
    if regions.is_empty() {
        return Ok(());
    }
    page.heading("Regions, by share of the span")?;
    let rows: Vec<Row<'_>> = regions.iter().take(most).map(Row::new).collect();
    tables(page, "region", &rows, &analysis.metric, assumed)?;
    let hidden = regions.get(most..).unwrap_or_default();
    let largest = hidden.first().map_or_else(String::new, |hidden| {
        let share = percent(hidden.share_of_span);
        format!(" with at most {share} of the span each")
    });
    page.more(hidden.len(), &largest, WRITE_ALL)?;
    for region in regions
        .iter()
        .take(most)
        .filter(|region| region.top_count == 0)
    {
        page.remark(&said!("remark", "open_region", region = region.name))?;
    }
    if let Some(lock) = analysis.locks.first()
        && rows.iter().any(|row| row.bounds().is_some())
    {
        let held = amount_in_words(lock.held.time(), &analysis.metric);
        page.remark(&said!("remark", "region_locks", held = held))?;
    }
    if let Some(runs) = &analysis.runs {
        page.remark(&format!(
            "Of run {}, the one with the median span.",
            runs.shown + 1
        ))?;
    }
    Ok(())
}

/// Prints the instances kept of regions: at most `most` of each, and of at most `most` regions.
pub(super) fn instances(
    page: &mut Page<'_>,
    analysis: &Analysis,
    assumed: u32,
    most: usize,
) -> io::Result<()> {
    let regions = analysis.regions.iter().take(most);
    for region in regions.filter(|region| !region.instances.is_empty()) {
        page.heading(&format!("Instances of {}, by their starts", region.name))?;
        let instances = (1..).zip(&region.instances).take(most);
        let rows: Vec<Row<'_>> = instances
            .map(|(number, instance)| Row {
                name: format!("{number}, at {}", duration(instance.start)),
                figures: &instance.figures,
                region: None,
            })
            .collect();
        tables(page, "instance", &rows, &analysis.metric, assumed)?;
        let hidden = region.instances.len().saturating_sub(most);
        page.more(hidden, "", WRITE_ALL)?;
        let kept = region.instances.len() as u64;
        if kept < region.count {
            page.remark(&format!(
                "kept are the first {} of {} that ended; the table of regions sums up all of them",
                grouped(kept),
                grouped(region.count)
            ))?;
        }
    }
    Ok(())
}

impl<'a> Row<'a> {
    fn new(region: &'a Region) -> Self {
        Self {
            name: region.name.clone(),
            figures: &region.sum,
            region: Some(region),
        }
    }

    /// Whether its span, burdened or not, is known only within an interval that matters.
    fn is_uncertain(&self) -> bool {
        self.figures.span.is_wide() || self.figures.burdened_span.is_wide()
    }

    /// Whether it ended and ran serially. Its lower bound, which allows for a scheduler, would
    /// claim that it slows down.
    fn is_serial(&self) -> bool {
        let serial = |parallelism| parallelism < 1.005;
        self.figures.spawns == 0 && self.figures.parallelisms()[0].is_some_and(serial)
    }

    /// The speedup bounds; `None` if it never ended or is serial.
    fn bounds(&self) -> Option<&[SpeedupBounds]> {
        let bounds = self.figures.speedup.as_slice();
        (!bounds.is_empty() && !self.is_serial()).then_some(bounds)
    }
}

/// Prints the figures of Cilkview's Fig. 6 in three tables, each narrow enough for a page.
fn tables(
    page: &mut Page<'_>,
    what: &str,
    rows: &[Row<'_>],
    metric: &Metric,
    assumed: u32,
) -> io::Result<()> {
    let table = || TableOf::new(rows).flexible(what, |row| row.name.clone());
    let of_regions = rows.iter().any(|row| row.region.is_some());
    page.table(
        table()
            .when(of_regions, |table| {
                table.sparse("count", |row| Some(short_count(row.region?.count)))
            })
            .right("work", |row| amount(row.figures.work.time(), metric))
            .right("span", |row| amount(row.figures.span.value.time(), metric))
            .right("burdened\nspan", |row| {
                amount(row.figures.burdened_span.value.time(), metric)
            })
            .right("paral\u{ad}\nlelism", |row| {
                or_none(row.figures.parallelisms()[0].map(ratio))
            })
            .right("burdened\nparal.", |row| {
                or_none(row.figures.parallelisms()[1].map(ratio))
            })
            .when(of_regions, |table| {
                table.sparse("share\nof span", |row| {
                    Some(percent(row.region?.share_of_span))
                })
            }),
    )?;
    if rows.iter().any(Row::is_uncertain) {
        page.gap()?;
        page.table(
            TableOf::new(rows.iter().filter(|row| row.is_uncertain()))
                .flexible(what, |row| row.name.clone())
                .right("span\nlies within", |row| {
                    span_within(row.figures.span, metric)
                })
                .right("parallelism\nlies within", |row| {
                    ratio_within(row.figures.parallelism)
                })
                .right("burdened span\nlies within", |row| {
                    span_within(row.figures.burdened_span, metric)
                })
                .right("burdened p.\nlies within", |row| {
                    ratio_within(row.figures.burdened_parallelism)
                }),
        )?;
        page.remark("Tiny tasks were timed in groups; --exact narrows these intervals.")?;
    }
    page.gap()?;
    page.table(
        table()
            .right("spawns", |row| short_count(row.figures.spawns))
            .right("syncs", |row| short_count(row.figures.syncs))
            .right("average\nstrand", |row| {
                amount(row.figures.average_strand, metric)
            })
            .when(of_regions, |table| {
                table
                    .sparse("tasking\noverhead", |row| {
                        Some(amount(row.region?.tasking_overhead.time, metric))
                    })
                    .sparse("blocked", |row| Some(duration(row.region?.blocked)))
                    .flexible("location", |row| {
                        let location = row.region.and_then(|it| it.location.as_ref());
                        or_none(location.map(ToString::to_string))
                    })
            }),
    )?;
    if let Some(bounds) = rows.iter().find_map(Row::bounds) {
        page.gap()?;
        speedup(page, what, rows, bounds, assumed)?;
        if rows.iter().any(Row::is_serial) {
            page.remark(&format!(
                "Left out: {what}s that spawn no tasks. They take as long on any number of cores."
            ))?;
        }
    }
    Ok(())
}

/// Prints two lines for each row; `bounds` are those of any row, for their numbers of cores.
fn speedup(
    page: &mut Page<'_>,
    what: &str,
    rows: &[Row<'_>],
    bounds: &[SpeedupBounds],
    assumed: u32,
) -> io::Result<()> {
    let with_bounds = rows.iter().filter_map(|row| Some((row, row.bounds()?)));
    let lines = with_bounds
        .flat_map(|(row, bounds)| [(row.name.as_str(), bounds, "lower"), ("", bounds, "upper")]);
    let cores = bounds.iter().map(|on| on.cores);
    page.table(
        TableOf::new(lines)
            .flexible(what, |(name, ..)| name.to_owned())
            .left("speedup on", |&(.., bound)| bound)
            .cores(cores, assumed, |&(_, bounds, bound), at| match bound {
                "lower" => bounds[at].lower,
                _ => bounds[at].upper,
            }),
    )
}
