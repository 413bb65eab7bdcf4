//! Tables that fit a width: text columns give way, figures never do.

use unicode_width::UnicodeWidthStr;
use workspan_model::Estimate;

use super::wrap::{keep_end, keep_start, shown, wrap};
use crate::Screen;
use crate::notation::figures::{NONE, bracketed, ratio};
use crate::notation::place::{SERIAL_CODE, SERIAL_CODE_SHORT};

/// Space between columns.
const GAP: usize = 2;

/// A mark before text; it stays when the text's start is left out.
pub(super) const MARK: char = '↻';

/// A figure, or a dash if it is not known.
pub(super) fn or_none(figure: Option<String>) -> String {
    figure.unwrap_or_else(|| NONE.to_owned())
}

/// A table, column by column; each shows something of every row.
pub(super) struct TableOf<R> {
    rows: Vec<R>,
    columns: Vec<Column>,
}

impl<R> TableOf<R> {
    pub(super) fn new(rows: impl IntoIterator<Item = R>) -> Self {
        Self {
            rows: rows.into_iter().collect(),
            columns: Vec::new(),
        }
    }

    /// A column of text.
    pub(super) fn left<C: ToString>(self, heading: &str, cell: impl FnMut(&R) -> C) -> Self {
        self.column(heading, Align::Left, Fit::Whole, cell)
    }

    /// A column of figures.
    pub(super) fn right<C: ToString>(self, heading: &str, cell: impl FnMut(&R) -> C) -> Self {
        self.column(heading, Align::Right, Fit::Whole, cell)
    }

    /// A column of figures, blank where there is none.
    pub(super) fn sparse(self, heading: &str, mut cell: impl FnMut(&R) -> Option<String>) -> Self {
        self.right(heading, |row| cell(row).unwrap_or_default())
    }

    /// A column of figures, and one of the intervals in which they lie; both blank where there is
    /// none.
    pub(super) fn estimate<T: Copy>(
        self,
        heading: &str,
        estimate: impl Fn(&R) -> Option<Estimate<T>>,
        words: impl Fn(T) -> String,
    ) -> Self {
        let interval = |row: &R| Some(bracketed(estimate(row)?, &words));
        self.sparse(heading, |row| Some(words(estimate(row)?.value)))
            .left("", |row| interval(row).unwrap_or_default())
    }

    /// A column of ratios for each number of cores; a star marks the `assumed` one.
    pub(super) fn cores(
        self,
        cores: impl IntoIterator<Item = u32>,
        assumed: u32,
        figure: impl Fn(&R, usize) -> f64,
    ) -> Self {
        let cores = cores.into_iter().enumerate();
        cores.fold(self, |table, (at, cores)| {
            let mark = if cores == assumed { "*" } else { "" };
            table.right(&format!("{cores}{mark}"), |row| ratio(figure(row, at)))
        })
    }

    /// A column of text whose start can be left out.
    pub(super) fn flexible<C: ToString>(self, heading: &str, cell: impl FnMut(&R) -> C) -> Self {
        self.column(heading, Align::Left, Fit::End, cell)
    }

    /// A column of text whose end can be left out.
    pub(super) fn beginning<C: ToString>(self, heading: &str, cell: impl FnMut(&R) -> C) -> Self {
        self.column(heading, Align::Left, Fit::Beginning, cell)
    }

    /// A column of text whose start can be left out, but not its indentation and its marks
    /// ([`MARK`]).
    pub(super) fn tree<C: ToString>(self, heading: &str, cell: impl FnMut(&R) -> C) -> Self {
        self.column(heading, Align::Left, Fit::Indented, cell)
    }

    /// A column of words that can go over several lines.
    pub(super) fn words<C: ToString>(self, heading: &str, cell: impl FnMut(&R) -> C) -> Self {
        self.column(heading, Align::Left, Fit::Wrapped, cell)
    }

    fn column<C: ToString>(
        mut self,
        heading: &str,
        align: Align,
        fit: Fit,
        mut cell: impl FnMut(&R) -> C,
    ) -> Self {
        self.columns.push(Column {
            heading: heading.to_owned(),
            align,
            fit,
            cells: self.rows.iter().map(|row| cell(row).to_string()).collect(),
        });
        self
    }

    /// With the columns that `add` adds, if `holds`.
    pub(super) fn when(self, holds: bool, add: impl FnOnce(Self) -> Self) -> Self {
        if holds { add(self) } else { self }
    }

    /// The headings and the cells of each column, with whether they are figures. A heading without a
    /// first line continues the one before it, whose first line it gets.
    pub(super) fn columns(&self) -> impl Iterator<Item = (String, &[String], bool)> {
        let columns = self.columns.iter();
        columns.scan("", |above, column| {
            let is_figures = column.align == Align::Right;
            let heading = match column.heading.split_once('\n') {
                Some(("", own)) => format!("{above} {own}").trim_start().to_owned(),
                lines => {
                    *above = lines.map_or("", |(first, _)| first);
                    heading(column)
                }
            };
            Some((heading, column.cells.as_slice(), is_figures))
        })
    }

    /// The lines of the heading and those of the rows, for a screen. Where the columns do not fit
    /// side by side, each row becomes a paragraph.
    pub(super) fn lay_out(mut self, screen: &Screen) -> (Vec<String>, Vec<String>) {
        for column in &mut self.columns {
            let lines = column.heading.split('\n');
            let lines: Vec<_> = lines.map(|line| shown(line, screen)).collect();
            column.heading = lines.join("\n");
            for cell in &mut column.cells {
                *cell = shown(cell, screen).into_owned();
            }
        }
        let rows = self.columns.first().map_or(0, |column| column.cells.len());
        let Some(widths) = self.widths(screen.width) else {
            return (Vec::new(), stacked(&self.columns, rows, screen));
        };
        let rows = (0..rows).flat_map(|row| self.row_lines(row, &widths, screen));
        (self.heading_lines(&widths), rows.collect())
    }

    fn heading_lines(&self, widths: &[usize]) -> Vec<String> {
        let headings: Vec<Vec<String>> = self.columns.iter().map(heading_lines).collect();
        let height = headings.iter().map(Vec::len).max().unwrap_or(0);
        let lines = (0..height).map(|line| {
            let cells = headings.iter().map(|lines| {
                let line = line.checked_sub(height - lines.len());
                line.map_or("", |line| &lines[line])
            });
            self.line(cells, widths)
        });
        lines.filter(|line| !line.is_empty()).collect()
    }

    fn row_lines(&self, row: usize, widths: &[usize], screen: &Screen) -> Vec<String> {
        let columns = self.columns.iter().zip(widths);
        let cells = columns.map(|(column, &width)| {
            let cell = &column.cells[row];
            match column.fit {
                Fit::Whole => vec![cell.clone()],
                Fit::Beginning => vec![keep_start(cell, width, screen.ellipsis())],
                Fit::End => vec![fit(cell, width, screen)],
                Fit::Indented => vec![fit_indented(cell, width, screen)],
                Fit::Wrapped => wrap(cell, width, screen.ellipsis()),
            }
        });
        let cells: Vec<Vec<String>> = cells.collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let lines = (0..height).map(|line| {
            let cells = cells.iter();
            let cells = cells.map(|lines| lines.get(line).map_or("", String::as_str));
            self.line(cells, widths)
        });
        lines.collect()
    }

    fn line<'c>(&self, cells: impl Iterator<Item = &'c str>, widths: &[usize]) -> String {
        let mut line = String::new();
        for (index, ((cell, column), width)) in cells.zip(&self.columns).zip(widths).enumerate() {
            let gap = if index == 0 { 0 } else { GAP };
            let padding = width.saturating_sub(cell.width());
            let (before, after) = match column.align {
                Align::Left => (gap, padding),
                Align::Right => (gap + padding, 0),
            };
            line.extend([&" ".repeat(before), cell, &" ".repeat(after)]);
        }
        line.truncate(line.trim_end().len());
        line
    }

    /// The widths of the columns: those of their cells, with flexible columns narrowed until the
    /// page holds them all, the widest first and indented ones last. `None` if it cannot.
    fn widths(&self, page: usize) -> Option<Vec<usize>> {
        let natural_width = |column: &Column| {
            let headings = heading_lines(column);
            let texts = headings.iter().chain(&column.cells);
            texts.map(|text| text.width()).max().unwrap_or(0)
        };
        let mut widths: Vec<usize> = self.columns.iter().map(natural_width).collect();
        let gaps = GAP * self.columns.len().saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > page {
            let gives_way = |&index: &usize| {
                let least = self.columns[index].fit.least_width();
                least.is_some_and(|least| widths[index] > least)
            };
            let rank = |&index: &usize| (self.columns[index].fit != Fit::Indented, widths[index]);
            let widest = (0..widths.len()).filter(gives_way).max_by_key(rank)?;
            widths[widest] -= 1;
        }
        Some(widths)
    }
}

/// The cell with as much of its indentation as leaves room for some of its text.
fn fit_indented(cell: &str, width: usize, screen: &Screen) -> String {
    let mark = shown("↻", screen);
    let is_before = |letter: char| letter == ' ' || mark.starts_with(letter);
    let text = cell.trim_start_matches(is_before);
    let before: Vec<char> = cell[..cell.len() - text.len()].chars().collect();
    let most = width.saturating_sub(LEAST_FLEXIBLE.min(text.width()));
    let indent: String = before[before.len().saturating_sub(most)..].iter().collect();
    let text = fit(text, width - indent.width(), screen);
    indent + &text
}

fn fit(cell: &str, width: usize, screen: &Screen) -> String {
    if cell.width() <= width {
        return cell.to_owned();
    }
    let text = match cell {
        SERIAL_CODE => SERIAL_CODE_SHORT,
        cell => cell,
    };
    keep_end(text, width, screen.ellipsis())
}

/// The lines of a column's heading.
fn heading_lines(column: &Column) -> Vec<String> {
    let lines = column.heading.split('\n');
    lines.map(|line| line.replace(SOFT_HYPHEN, "-")).collect()
}

/// The least width of a flexible column, however narrow the page is.
pub(super) const LEAST_FLEXIBLE: usize = 12;

/// The least width of a column of words; with less, the rows become paragraphs.
const LEAST_WORDS: usize = 16;

/// Stands where a heading breaks within a word; shown as a hyphen.
pub(super) const SOFT_HYPHEN: char = '\u{ad}';

#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) heading: String,
    pub(super) align: Align,
    pub(super) fit: Fit,
    pub(super) cells: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Align {
    Left,
    Right,
}

/// What part of a cell gives way if there is no room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fit {
    /// Nothing.
    Whole,
    /// The end.
    Beginning,
    /// The start.
    End,
    /// The start, but not the blanks and the marks before it.
    Indented,
    /// Nothing: it goes over several lines.
    Wrapped,
}

impl Fit {
    /// The width that it cannot go below; `None` if it does not give way at all.
    pub(super) const fn least_width(self) -> Option<usize> {
        match self {
            Self::Whole => None,
            Self::Beginning | Self::End | Self::Indented => Some(LEAST_FLEXIBLE),
            Self::Wrapped => Some(LEAST_WORDS),
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Charset;

    fn lay_out<R>(table: TableOf<R>, width: usize) -> (Vec<String>, Vec<String>) {
        table.lay_out(&Screen::default().with_width(width))
    }

    fn table() -> TableOf<(&'static str, &'static str)> {
        let rows = [
            ("src/deep/down/module.rs:123:45", "78.2%"),
            ("src/µ.rs:1:2", "0.5%"),
        ];
        TableOf::new(rows)
            .flexible("location", |row| row.0)
            .right("share\nof span", |row| row.1)
    }

    #[test]
    fn is_as_wide_as_its_cells_when_there_is_room() {
        let (heading, rows) = lay_out(table(), 80);
        assert_eq!(
            heading,
            [
                "                                  share",
                "location                        of span"
            ]
        );
        assert_eq!(
            rows,
            [
                "src/deep/down/module.rs:123:45    78.2%",
                "src/µ.rs:1:2                       0.5%"
            ]
        );
    }

    #[test]
    fn leaves_out_the_start_of_long_text() {
        let (_, rows) = lay_out(table(), 27);
        assert_eq!(
            rows,
            ["…/module.rs:123:45    78.2%", "src/µ.rs:1:2           0.5%"]
        );
    }

    #[test]
    fn takes_the_alternative_before_cutting() {
        let rows = |width| {
            let table = TableOf::new(["(serial code of the program)"]);
            lay_out(table.flexible("location", |row| *row), width).1
        };
        assert_eq!(rows(28), ["(serial code of the program)"]);
        assert_eq!(rows(20), ["(serial code)"]);
        assert_eq!(rows(12), ["…erial code)"]);
    }

    #[test]
    fn indentation_stays_as_long_as_there_is_room() {
        let table = TableOf::new([0, 1, 4, 20]);
        let table = table.tree("site", |&depth| {
            format!("{:depth$}join src/main.rs:1:2", "")
        });
        assert_eq!(
            lay_out(table, 20).1,
            [
                "join src/main.rs:1:2",
                " …in src/main.rs:1:2",
                "    …src/main.rs:1:2",
                "        …main.rs:1:2",
            ]
        );
    }

    #[test]
    fn marks_stay() {
        let table = TableOf::new([2, 9]);
        let table = table.tree("site", |&depth| {
            format!("{:depth$}{MARK} module::function", "")
        });
        assert_eq!(
            lay_out(table, 18).1,
            ["  ↻ …ule::function", "    ↻ …e::function"]
        );
    }

    #[test]
    fn words_go_over_several_lines() {
        let table = TableOf::new([("Work", "time of all strands")]);
        let table = table.left("", |row| row.0).words("", |row| row.1);
        let (heading, rows) = lay_out(table, 22);
        assert_eq!(heading, [""; 0]);
        assert_eq!(rows, ["Work  time of all", "      strands"]);
    }

    #[test]
    fn in_ascii_no_other_sign_is_drawn() {
        let ascii = Screen {
            charset: Charset::Ascii,
            ..Screen::default().with_width(18)
        };
        let table = TableOf::new([()]);
        let table = table.tree("site", |()| format!("  {MARK} module::function"));
        assert_eq!(table.lay_out(&ascii).1, ["  @ ...e::function"]);
    }

    #[test]
    fn without_room_each_row_is_a_paragraph() {
        let (heading, rows) = lay_out(table(), 20);
        assert_eq!(heading, [""; 0]);
        assert_eq!(
            rows,
            [
                "src/deep/down/",
                "module.rs:123:45",
                "  share of span",
                "  78.2%",
                "src/µ.rs:1:2",
                "  share of span 0.5%"
            ]
        );
    }
}
