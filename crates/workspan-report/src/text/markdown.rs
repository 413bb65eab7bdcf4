//! Markdown, for the summaries that GitHub shows.

use std::io::{self, Write};

use super::table::TableOf;

pub(super) fn heading(output: &mut dyn Write, text: &str) -> io::Result<()> {
    writeln!(output, "### {}\n", escaped(text))
}

pub(super) fn items(output: &mut dyn Write, items: impl Iterator<Item = String>) -> io::Result<()> {
    let mut has_any = false;
    for item in items {
        has_any = true;
        writeln!(output, "- {}", escaped(&item))?;
    }
    if has_any { writeln!(output) } else { Ok(()) }
}

/// Writes nothing if there are no rows.
pub(super) fn table<R>(output: &mut dyn Write, table: &TableOf<R>) -> io::Result<()> {
    let columns: Vec<_> = table.columns().collect();
    let rows = columns.first().map_or(0, |(_, cells, _)| cells.len());
    if rows == 0 {
        return Ok(());
    }
    let mut line = |cells: &mut dyn Iterator<Item = String>| {
        let cells: String = cells.map(|cell| format!(" {cell} |")).collect();
        writeln!(output, "|{cells}")
    };
    line(&mut columns.iter().map(|(heading, ..)| escaped(heading)))?;
    line(&mut columns.iter().map(|(.., is_figures)| {
        let rule = if *is_figures { "---:" } else { ":---" };
        rule.to_owned()
    }))?;
    for row in 0..rows {
        line(&mut columns.iter().map(|(_, cells, _)| escaped(&cells[row])))?;
    }
    writeln!(output)
}

/// Text that may contain what Markdown gives a meaning.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '\\' | '|' | '<' | '*' | '_' | '[' | '`' => escaped.extend(['\\', letter]),
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}
