//! Tables whose columns do not fit the page.

use super::column::{Align, Column, SOFT_HYPHEN};
use super::wrap::wrap;
use crate::Screen;

/// Each row as a paragraph: its first cell, and below it the others, each with its heading.
pub(super) fn stacked(columns: &[Column], rows: &[Vec<String>], screen: &Screen) -> Vec<String> {
    let headings: Vec<String> = columns.iter().map(heading).collect();
    let mut lines = Vec::new();
    for cells in rows {
        lines.extend(paragraph(columns, &headings, cells, screen));
    }
    lines
}

fn paragraph(
    columns: &[Column],
    headings: &[String],
    cells: &[String],
    screen: &Screen,
) -> Vec<String> {
    let mut lines = Vec::new();
    let Some((title, rest)) = cells.split_first() else {
        return lines;
    };
    // A figure means nothing without its heading.
    let title = match columns[0].align {
        Align::Right if !title.is_empty() => format!("{} {title}", headings[0]),
        _ => title.clone(),
    };
    if !title.trim().is_empty() {
        let text = title.trim_start();
        let indent = (title.len() - text.len()).min(screen.width / 3);
        let text = wrap(text, screen.width - indent, screen.ellipsis());
        lines.extend(text.iter().map(|line| format!("{:indent$}{line}", "")));
    }
    let text = wrap(
        &pieces(&headings[1..], rest).join(", "),
        screen.width - 2,
        screen.ellipsis(),
    );
    let text = text.iter().filter(|line| !line.is_empty());
    lines.extend(text.map(|line| format!("  {line}")));
    lines
}

/// The cells with their headings. A cell without a heading belongs to the one before it.
fn pieces(headings: &[String], cells: &[String]) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut follows_heading = false;
    for (heading, cell) in headings.iter().zip(cells) {
        match (heading.is_empty(), pieces.last_mut()) {
            _ if cell.is_empty() => continue,
            (true, Some(before)) if follows_heading => {
                before.push(' ');
                before.push_str(cell);
            }
            (true, _) => pieces.push(cell.clone()),
            (false, _) => pieces.push(format!("{heading} {cell}")),
        }
        follows_heading = !heading.is_empty();
    }
    pieces
}

/// A heading in one line.
fn heading(column: &Column) -> String {
    let whole = column.heading.replace(&format!("{SOFT_HYPHEN}\n"), "");
    whole
        .replace("-\n", "-")
        .replace('\n', " ")
        .trim()
        .to_owned()
}
