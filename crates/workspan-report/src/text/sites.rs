//! The table of spawn sites: of one run, or the medians of several.

use std::io;

use workspan_model::{Analysis, Nanos, SiteRow, SiteSpread};

use super::page::Page;
use super::table::{Column, Table};
use crate::figures::{duration, grouped, percent, ratio, short_count};
use crate::place::{SERIAL_CODE, SERIAL_CODE_SHORT, place, place_of_spread};

/// What the table shows of a site.
struct Row<'a> {
    place: String,
    function: Option<&'a str>,
    kind: &'static str,
    count: u64,
    work: Nanos,
    span: Nanos,
    parallelism: Option<f64>,
    share_of_span: f64,
    tasking_overhead: Nanos,
}

/// Prints at most `most` sites.
pub(super) fn print(
    page: &mut Page<'_>,
    analysis: &Analysis,
    most: usize,
    with_functions: bool,
) -> io::Result<()> {
    let rows: Vec<Row<'_>> = match &analysis.runs {
        Some(runs) => {
            let count = runs.runs.len();
            page.heading(&format!(
                "Spawn sites, by share of the span: medians of {count} runs"
            ))?;
            runs.sites.iter().map(Row::of_medians).collect()
        }
        None => {
            page.heading("Spawn sites, by share of the span")?;
            analysis.sites.iter().map(Row::of).collect()
        }
    };
    let shown = &rows[..rows.len().min(most)];
    let mut table = Table::new(columns(with_functions));
    table.alternative(SERIAL_CODE, SERIAL_CODE_SHORT);
    for row in shown {
        table.row(row.cells(with_functions));
    }
    page.table(&table)?;
    let hidden = rows.len() - shown.len();
    match shown.last() {
        Some(last) if hidden > 0 => page.remark(&format!(
            "and {} more with at most {} of the span each; --json and --csv write all of them",
            grouped(hidden as u64),
            percent(last.share_of_span),
        )),
        _ => Ok(()),
    }
}

fn columns(with_functions: bool) -> Vec<Column> {
    let mut columns = vec![
        Column::flexible("location"),
        Column::left("kind"),
        Column::right("count"),
        Column::right("work"),
        Column::right("span"),
        Column::right("paral-\nlelism"),
        Column::right("share\nof span"),
        Column::right("tasking\noverhead"),
    ];
    if with_functions {
        columns.insert(1, Column::flexible("function"));
    }
    columns
}

impl<'a> Row<'a> {
    fn of(site: &'a SiteRow) -> Self {
        let on_work = &site.on_work;
        Self {
            place: place(site),
            function: site.function.as_deref(),
            kind: site.kind.name(),
            count: on_work.count,
            work: on_work.work.time(),
            span: on_work.span.time(),
            parallelism: on_work.parallelism,
            share_of_span: site.on_span.share,
            tasking_overhead: on_work.tasking_overhead.time,
        }
    }

    fn of_medians(site: &'a SiteSpread) -> Self {
        Self {
            place: place_of_spread(site),
            function: site.function.as_deref(),
            kind: site.kind.name(),
            count: site.count.median,
            work: site.work.median.time(),
            span: site.span.median.time(),
            parallelism: site.parallelism.map(|spread| spread.median),
            share_of_span: site.share_of_span.median,
            tasking_overhead: site.tasking_overhead.median,
        }
    }

    fn cells(&self, with_function: bool) -> Vec<String> {
        let mut cells = vec![
            self.place.clone(),
            self.kind.to_owned(),
            short_count(self.count),
            duration(self.work),
            duration(self.span),
            self.parallelism.map_or_else(|| "–".to_owned(), ratio),
            percent(self.share_of_span),
            duration(self.tasking_overhead),
        ];
        if with_function {
            cells.insert(1, self.function.unwrap_or_default().to_owned());
        }
        cells
    }
}
