//! Tables whose columns do not fit the page.

use super::column::{Align, Column, SOFT_HYPHEN};
use super::wrap::wrap;
use crate::Screen;

/// Each row as a paragraph: its first cell, and below it the others, each with its heading.
pub(super) fn stacked(columns: &[Column], rows: usize, screen: &Screen) -> Vec<String> {
    let Some((title, rest)) = columns.split_first() else {
        return Vec::new();
    };
    let (title_heading, headings) = (heading(title), rest.iter().map(heading));
    let headings: Vec<String> = headings.collect();
    let paragraph = |row: usize| {
        let title = match (title.align, title.cells[row].as_str()) {
            // A figure means nothing without its heading.
            (Align::Right, cell) if !cell.is_empty() => format!("{title_heading} {cell}"),
            (_, cell) => cell.to_owned(),
        };
        let text = title.trim_start();
        let indent = (title.len() - text.len()).min(screen.width / 3);
        let mut lines = Vec::new();
        if !text.is_empty() {
            let text = wrap(text, screen.width - indent, screen.ellipsis());
            lines.extend(text.iter().map(|line| format!("{:indent$}{line}", "")));
        }
        let cells = rest.iter().map(|column| column.cells[row].as_str());
        let text = pieces(headings.iter().map(String::as_str).zip(cells)).join(", ");
        let text = wrap(&text, screen.width - 2, screen.ellipsis());
        let text = text.iter().filter(|line| !line.is_empty());
        lines.extend(text.map(|line| format!("  {line}")));
        lines
    };
    (0..rows).flat_map(paragraph).collect()
}

/// The cells with their headings. A cell without a heading belongs to the one before it.
fn pieces<'c>(cells: impl Iterator<Item = (&'c str, &'c str)>) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut follows_heading = false;
    for (heading, cell) in cells {
        match (heading.is_empty(), pieces.last_mut()) {
            _ if cell.is_empty() => continue,
            (true, Some(before)) if follows_heading => {
                before.push(' ');
                before.push_str(cell);
            }
            (true, _) => pieces.push(cell.to_owned()),
            (false, _) => pieces.push(format!("{heading} {cell}")),
        }
        follows_heading = !heading.is_empty();
    }
    pieces
}

/// A heading in one line.
fn heading(column: &Column) -> String {
    let whole = column.heading.replace(&format!("{SOFT_HYPHEN}\n"), "");
    let whole = whole.replace("-\n", "-").replace('\n', " ");
    whole.trim().to_owned()
}
