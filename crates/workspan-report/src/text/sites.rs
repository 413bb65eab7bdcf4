//! The table of sites: of one run, or the medians of several.

use std::io;

use workspan_model::{Analysis, Metric, Profile, SiteRow};

use super::page::Page;
use super::table::TableOf;
use crate::notation::figures::{NONE, Unit, grouped, percent, short_count};
use crate::notation::place::kind_and_name;
use crate::site_table::{Figure, SiteColumn, SiteTable, Value};

/// Prints the sites that `sites` selects, and returns their indices into the sites of the analysis
/// or, where there are several runs, of those.
pub(super) fn print(
    page: &mut Page<'_>,
    profile: &Profile,
    analysis: &Analysis,
    sites: &SiteTable,
) -> io::Result<Vec<usize>> {
    let rows: Vec<&SiteRow> = match &analysis.runs {
        Some(runs) => runs.sites.iter().map(|site| &site.medians).collect(),
        None => analysis.sites.iter().collect(),
    };
    page.heading(&heading(analysis, &rows, sites))?;
    let selected = sites.selected(rows.iter().copied());
    let shown = &selected[..selected.len().min(sites.most.unwrap_or(usize::MAX))];
    let columns = sites.shown_columns(page.screen().width);
    let names_in_kind = !columns.contains(&SiteColumn::Name)
        && shown
            .iter()
            .any(|(_, row)| kind_and_name(row) != row.kind.noun());
    let table = TableOf::new(shown);
    page.table(columns.iter().fold(table, |table, &column| {
        let heading = column.heading();
        let cell = |(_, row): &&(usize, &SiteRow)| cell(sites.value(column, row), &analysis.metric);
        match column {
            SiteColumn::Kind if names_in_kind => {
                table.flexible(&heading, |(_, row)| kind_and_name(row))
            }
            SiteColumn::Kind => table.left(&heading, cell),
            column if column.is_text() => table.flexible(&heading, cell),
            _ => table.right(&heading, cell),
        }
    }))?;
    remarks(page, sites, &selected, shown.len(), rows.len())?;
    // A parallelism may also be missing because there is no span.
    let measured = columns.iter().filter(|column| {
        matches!(column, SiteColumn::Measured(measured) if measured.figure != Figure::Parallelism)
    });
    let mut values = shown
        .iter()
        .flat_map(|(_, row)| measured.clone().map(|&column| sites.value(column, row)));
    if !profile.has_paths() && values.any(|value| value == Value::Unknown) {
        page.remark(&format!(
            "{NONE} stands for what this profile does not tell: an older workspan measured it"
        ))?;
    }
    Ok(shown.iter().map(|&(index, _)| index).collect())
}

fn heading(analysis: &Analysis, rows: &[&SiteRow], sites: &SiteTable) -> String {
    let is_call = |row: &&SiteRow| row.kind.is_serial() && !row.kind.is_lock();
    let noun = if rows.iter().any(is_call) {
        "Call sites"
    } else {
        "Spawn sites"
    };
    let medians = match &analysis.runs {
        Some(runs) => format!(": medians of {} runs", runs.runs.len()),
        None => String::new(),
    };
    format!("{noun}, {}{medians}", sites.in_words())
}

fn remarks(
    page: &mut Page<'_>,
    sites: &SiteTable,
    selected: &[(usize, &SiteRow)],
    shown: usize,
    rows: usize,
) -> io::Result<()> {
    if let Some(filter) = &sites.filter {
        page.remark(&format!(
            "{} of {} sites have \"{filter}\" in their location, function, name or kind",
            grouped(selected.len() as u64),
            grouped(rows as u64),
        ))?;
    }
    let least = match shown.checked_sub(1).map(|last| selected[last].1) {
        Some(last) if sites.sort == SiteColumn::Share => format!(
            " with at most {} of the span each",
            percent(last.on_span.share)
        ),
        _ => String::new(),
    };
    let hidden = selected.len() - shown;
    page.more(hidden, &least, ", --json and --csv write all")
}

fn cell(value: Value, metric: &Metric) -> String {
    match value {
        Value::Text(text) => text,
        Value::Figure(Unit::Count, count) => short_count(count as u64),
        Value::Figure(unit, figure) => unit.words(figure, metric),
        Value::Unknown => NONE.to_owned(),
    }
}
