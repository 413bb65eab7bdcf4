//! The regions that the program names, and single instances of them.

use std::io;

use workspan_model::{Analysis, Metric, Region, RegionFigures, SpeedupBounds};

use super::page::Page;
use super::sites::NONE;
use super::table::{Column, Table};
use super::totals::{interval, parallelism_interval};
use crate::figures::{amount, amount_in_words, duration, grouped, percent, ratio, short_count};

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
        page.remark(&format!(
            "{} had not ended when the profile was written: its work is that up to there, its span is not known",
            region.name
        ))?;
    }
    if let Some(lock) = analysis.locks.first()
        && rows.iter().any(|row| row.bounds().is_some())
    {
        page.remark(&format!(
            "The lock that is held for {} may be held in a region or beside it: upper bounds have in it what has no room \
             beside it, lower ones all that has room in it.",
            amount_in_words(lock.held.time(), &analysis.metric)
        ))?;
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
        self.figures.span_interval.is_wide || self.figures.burdened_span_interval.is_wide
    }

    /// Whether it ended and ran serially. Its lower bound, which allows for a scheduler, would
    /// claim that it slows down.
    fn is_serial(&self) -> bool {
        let serial = |parallelism| parallelism < 1.005;
        self.figures.spawns == 0 && self.figures.parallelism.is_some_and(serial)
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
    page.table(&amounts(what, rows, metric))?;
    if rows.iter().any(Row::is_uncertain) {
        page.gap()?;
        page.table(&intervals(what, rows, metric))?;
        page.remark("Tiny tasks were timed in groups; --exact narrows these intervals.")?;
    }
    page.gap()?;
    page.table(&tasks(what, rows, metric))?;
    if let Some(bounds) = rows.iter().find_map(Row::bounds) {
        page.gap()?;
        page.table(&speedup(what, rows, bounds, assumed))?;
        if rows.iter().any(Row::is_serial) {
            page.remark(&format!(
                "Left out: {what}s that spawn no tasks. They take as long on any number of cores."
            ))?;
        }
    }
    Ok(())
}

fn amounts(what: &str, rows: &[Row<'_>], metric: &Metric) -> Table {
    let of_regions = rows.iter().any(|row| row.region.is_some());
    let mut columns = vec![
        Column::flexible(what),
        Column::right("work"),
        Column::right("span"),
        Column::right("burdened\nspan"),
        Column::right("paral\u{ad}\nlelism"),
        Column::right("burdened\nparal."),
    ];
    if of_regions {
        columns.insert(1, Column::right("count"));
        columns.push(Column::right("share\nof span"));
    }
    let mut table = Table::new(columns);
    for row in rows {
        let figures = row.figures;
        let ratio = |number: Option<f64>| number.map_or_else(|| NONE.to_owned(), ratio);
        let mut cells = vec![
            row.name.clone(),
            amount(figures.work.time(), metric),
            amount(figures.span.time(), metric),
            amount(figures.burdened_span.time(), metric),
            ratio(figures.parallelism),
            ratio(figures.burdened_parallelism),
        ];
        if let Some(region) = row.region {
            cells.insert(1, short_count(region.count));
            cells.push(percent(region.share_of_span));
        }
        table.row(cells);
    }
    table
}

/// The intervals of the spans that are not known exactly.
fn intervals(what: &str, rows: &[Row<'_>], metric: &Metric) -> Table {
    let mut table = Table::new([
        Column::flexible(what),
        Column::right("span\nlies within"),
        Column::right("parallelism\nlies within"),
        Column::right("burdened span\nlies within"),
        Column::right("burdened p.\nlies within"),
    ]);
    for row in rows.iter().filter(|row| row.is_uncertain()) {
        let figures = row.figures;
        table.row([
            row.name.clone(),
            interval(figures.span_interval, metric),
            parallelism_interval(figures.parallelism_interval),
            interval(figures.burdened_span_interval, metric),
            parallelism_interval(figures.burdened_parallelism_interval),
        ]);
    }
    table
}

fn tasks(what: &str, rows: &[Row<'_>], metric: &Metric) -> Table {
    let of_regions = rows.iter().any(|row| row.region.is_some());
    let mut columns = vec![
        Column::flexible(what),
        Column::right("spawns"),
        Column::right("syncs"),
        Column::right("average\nstrand"),
    ];
    if of_regions {
        columns.extend([
            Column::right("tasking\noverhead"),
            Column::right("blocked"),
            Column::flexible("location"),
        ]);
    }
    let mut table = Table::new(columns);
    for row in rows {
        let mut cells = vec![
            row.name.clone(),
            short_count(row.figures.spawns),
            short_count(row.figures.syncs),
            amount(row.figures.average_strand, metric),
        ];
        if let Some(region) = row.region {
            let location = region.location.as_ref();
            cells.extend([
                amount(region.tasking_overhead.time, metric),
                duration(region.blocked),
                location.map_or_else(|| NONE.to_owned(), ToString::to_string),
            ]);
        }
        table.row(cells);
    }
    table
}

/// A table with two lines for each row; `bounds` are those of any row, for their numbers of cores.
fn speedup(what: &str, rows: &[Row<'_>], bounds: &[SpeedupBounds], assumed: u32) -> Table {
    let cores = bounds.iter().map(|bounds| {
        let mark = if bounds.cores == assumed { "*" } else { "" };
        Column::right(&format!("{}{mark}", bounds.cores))
    });
    let names = [Column::flexible(what), Column::left("speedup on")];
    let mut table = Table::new(names.into_iter().chain(cores));
    for row in rows {
        let Some(bounds) = row.bounds() else {
            continue;
        };
        let mut line = |name: &str, bound: &str, value: fn(&SpeedupBounds) -> f64| {
            let names = [name.to_owned(), bound.to_owned()].into_iter();
            table.row(names.chain(bounds.iter().map(|bounds| ratio(value(bounds)))));
        };
        line(&row.name, "lower", |bounds| bounds.lower);
        line("", "upper", |bounds| bounds.upper);
    }
    table
}
