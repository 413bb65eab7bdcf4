//! The critical path as one bar.

use std::io;

use anstyle::{AnsiColor, Style};
use workspan_model::{Analysis, Nanos, span_parts};

use super::bar::lengths;
use super::page::Page;
use super::table::TableOf;
use crate::notation::figures::{amount, counted, percent};
use crate::notation::place::{kind_and_name, place};

/// At most this many sites are shown one by one.
const MOST_SITES: usize = 4;

/// Sites with a smaller share are not shown by themselves.
const LEAST_SHARE: f64 = 0.005;

/// On pages of at least this many columns, kinds and places have a column each.
const COLUMNS_WITH_KINDS: usize = 60;

const LONGEST_BAR: usize = 120;

/// How the parts look, the rest last. The signs alone tell them apart, even without colour.
const LOOKS: [(&str, Style); MOST_SITES + 1] = [
    ("█", AnsiColor::Red.on_default()),
    ("▓", AnsiColor::Yellow.on_default()),
    ("▒", AnsiColor::Cyan.on_default()),
    ("░", AnsiColor::Magenta.on_default()),
    ("·", AnsiColor::Blue.on_default()),
];

/// Prints the path, split by the sites whose own code it runs.
pub(super) fn print(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    let metric = &analysis.metric;
    let parts = span_parts(&analysis.sites, MOST_SITES, LEAST_SHARE);
    if parts.largest.len() + usize::from(parts.rest.is_some()) < 2 {
        return Ok(());
    }
    let span = amount(analysis.totals.span.value.time(), metric);
    page.heading(&format!("Critical path, {span}, by the code that it runs"))?;
    let largest = parts.largest.iter().map(|&row| {
        let site = &analysis.sites[row];
        Part {
            share: site.on_span.share,
            time: site.on_span.local_span.time(),
            kind: kind_and_name(site),
            place: place(site),
        }
    });
    let rest = parts.rest.map(|rest| Part {
        share: rest.share,
        time: rest.local_span.time(),
        kind: counted(rest.sites.get() as u64, "other", "others"),
        place: String::new(),
    });
    let parts: Vec<Part> = largest.chain(rest).collect();
    let shares: Vec<f64> = parts.iter().map(|part| part.share).collect();
    let lengths = lengths(&shares, page.columns().min(LONGEST_BAR));
    let pieces = lengths.into_iter().zip(LOOKS);
    let pieces = pieces.map(|(length, (mark, style))| (length, mark, style));
    page.bar(&pieces.collect::<Vec<_>>())?;
    let words = |part: &Part| format!("{} {}", part.kind, part.place);
    let table = TableOf::new(parts.iter().zip(LOOKS))
        .left("", |(_, (mark, _))| mark.to_owned())
        .right("", |(part, _)| percent(part.share))
        .right("", |(part, _)| amount(part.time, metric));
    let table = if page.columns() >= COLUMNS_WITH_KINDS {
        let table = table.flexible("", |(part, _)| part.kind.clone());
        table.flexible("", |(part, _)| part.place.clone())
    } else {
        table.flexible("", |(part, _)| words(part).trim_end().to_owned())
    };
    page.legend(table, &LOOKS.map(|(_, style)| style))
}

/// A part of the path.
struct Part {
    share: f64,
    time: Nanos,
    kind: String,
    place: String,
}
