//! Tables that fit a width: text columns give way, figures never do.

use unicode_width::UnicodeWidthStr;

use super::characters::shown;
use super::column::{Align, Fit, LEAST_FLEXIBLE, SOFT_HYPHEN};
pub(super) use super::column::{Column, MARK};
use super::stacked::stacked;
use super::wrap::{keep_end, wrap};
use crate::Screen;

/// Space between columns.
const GAP: usize = 2;

/// A table, cell by cell.
#[derive(Clone, Debug)]
pub(super) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    alternatives: Vec<(&'static str, &'static str)>,
}

impl Table {
    pub(super) fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self {
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
            alternatives: Vec::new(),
        }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        assert_eq!(cells.len(), self.columns.len(), "one cell for each column");
        self.rows.push(cells);
    }

    /// Writes `short` where there is no room for `text`.
    pub(super) fn alternative(&mut self, text: &'static str, short: &'static str) {
        self.alternatives.push((text, short));
    }

    /// The lines of the heading and those of the rows, for a screen. Where the columns do not fit
    /// side by side, each row becomes a paragraph.
    pub(super) fn lay_out(&self, screen: &Screen) -> (Vec<String>, Vec<String>) {
        let table = self.shown_on(screen);
        let Some(widths) = table.widths(screen.width) else {
            return (Vec::new(), stacked(&table.columns, &table.rows, screen));
        };
        let rows = table.rows.iter();
        let rows = rows.flat_map(|cells| table.row_lines(cells, &widths, screen));
        (table.heading_lines(&widths), rows.collect())
    }

    /// The table in characters that the screen can show.
    fn shown_on(&self, screen: &Screen) -> Self {
        let cells = |cells: &Vec<String>| {
            let cells = cells.iter().map(|cell| shown(cell, screen).into_owned());
            cells.collect()
        };
        let mut table = self.clone();
        table.rows = self.rows.iter().map(cells).collect();
        for column in &mut table.columns {
            let lines = column.heading.split('\n');
            let lines = lines.map(|line| shown(line, screen).into_owned());
            column.heading = lines.collect::<Vec<_>>().join("\n");
        }
        table
    }

    fn heading_lines(&self, widths: &[usize]) -> Vec<String> {
        let headings: Vec<Vec<String>> = self.columns.iter().map(heading_lines).collect();
        let height = headings.iter().map(Vec::len).max().unwrap_or(0);
        let heading_line = |line: usize| {
            let cells = headings.iter().map(|lines| {
                let above = height - lines.len();
                line.checked_sub(above)
                    .map_or_else(String::new, |line| lines[line].clone())
            });
            self.line(cells, widths)
        };
        let lines = (0..height).map(heading_line);
        lines.filter(|line| !line.is_empty()).collect()
    }

    fn row_lines(&self, cells: &[String], widths: &[usize], screen: &Screen) -> Vec<String> {
        let cells = cells.iter().zip(widths).zip(&self.columns);
        let cells: Vec<Vec<String>> = cells
            .map(|((cell, &width), column)| match column.fit {
                Fit::Whole => vec![cell.clone()],
                Fit::End => vec![self.fit(cell, width, screen)],
                Fit::Indented => vec![self.fit_indented(cell, width, screen)],
                Fit::Wrapped => wrap(cell, width, screen.ellipsis()),
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let line = |line: usize| {
            let cells = cells.iter();
            let cells = cells.map(|lines| lines.get(line).cloned().unwrap_or_default());
            self.line(cells, widths)
        };
        (0..height).map(line).collect()
    }

    fn line(&self, cells: impl Iterator<Item = String>, widths: &[usize]) -> String {
        let mut line = String::new();
        for (index, ((cell, column), width)) in cells.zip(&self.columns).zip(widths).enumerate() {
            let gap = if index == 0 { 0 } else { GAP };
            let padding = width.saturating_sub(cell.width());
            let (before, after) = match column.align {
                Align::Left => (gap, padding),
                Align::Right => (gap + padding, 0),
            };
            line.extend(std::iter::repeat_n(' ', before));
            line.push_str(&cell);
            line.extend(std::iter::repeat_n(' ', after));
        }
        line.truncate(line.trim_end().len());
        line
    }

    /// The widths of the columns: those of their cells, with flexible columns narrowed until the
    /// page holds them all, the widest first and indented ones last. `None` if it cannot.
    fn widths(&self, page: usize) -> Option<Vec<usize>> {
        let natural_width = |(index, column): (usize, &Column)| {
            let headings = heading_lines(column);
            let headings = headings.iter().map(|line| line.width());
            let cells = self.rows.iter().map(|cells| cells[index].width());
            headings.chain(cells).max().unwrap_or(0)
        };
        let columns = self.columns.iter().enumerate();
        let mut widths: Vec<usize> = columns.map(natural_width).collect();
        let gaps = GAP * self.columns.len().saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > page {
            let gives_way = |&index: &usize| {
                let least = self.columns[index].least_width();
                least.is_some_and(|least| widths[index] > least)
            };
            let rank = |&index: &usize| (self.columns[index].fit != Fit::Indented, widths[index]);
            let widest = (0..widths.len()).filter(gives_way).max_by_key(rank)?;
            widths[widest] -= 1;
        }
        Some(widths)
    }

    /// The cell with as much of its indentation as leaves room for some of its text.
    fn fit_indented(&self, cell: &str, width: usize, screen: &Screen) -> String {
        let mark = shown("↻", screen);
        let is_before = |letter: char| letter == ' ' || mark.starts_with(letter);
        let text = cell.trim_start_matches(is_before);
        let before: Vec<char> = cell[..cell.len() - text.len()].chars().collect();
        let most = width.saturating_sub(LEAST_FLEXIBLE.min(text.width()));
        let indent: String = before[before.len().saturating_sub(most)..].iter().collect();
        let text = self.fit(text, width - indent.width(), screen);
        indent + &text
    }

    fn fit(&self, cell: &str, width: usize, screen: &Screen) -> String {
        if cell.width() <= width {
            return cell.to_owned();
        }
        let alternative = self.alternatives.iter().find(|(text, _)| *text == cell);
        let text = alternative.map_or(cell, |(_, short)| short);
        keep_end(text, width, screen.ellipsis())
    }
}

/// The lines of a column's heading.
fn heading_lines(column: &Column) -> Vec<String> {
    let lines = column.heading.split('\n');
    lines.map(|line| line.replace(SOFT_HYPHEN, "-")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Charset;

    fn screen(width: usize) -> Screen {
        Screen::default().with_width(width)
    }

    fn table() -> Table {
        let mut table = Table::new([
            Column::flexible("location"),
            Column::right("share\nof span"),
        ]);
        table.row([
            "src/deep/down/module.rs:123:45".to_owned(),
            "78.2%".to_owned(),
        ]);
        table.row(["src/µ.rs:1:2".to_owned(), "0.5%".to_owned()]);
        table
    }

    #[test]
    fn is_as_wide_as_its_cells_when_there_is_room() {
        let (heading, rows) = table().lay_out(&screen(80));
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
        let (_, rows) = table().lay_out(&screen(27));
        assert_eq!(
            rows,
            ["…/module.rs:123:45    78.2%", "src/µ.rs:1:2           0.5%"]
        );
    }

    #[test]
    fn takes_the_alternative_before_cutting() {
        let mut table = Table::new([Column::flexible("location")]);
        table.alternative("(serial code of the program)", "(serial code)");
        table.row(["(serial code of the program)".to_owned()]);
        assert_eq!(
            table.lay_out(&screen(28)).1,
            ["(serial code of the program)"]
        );
        assert_eq!(table.lay_out(&screen(20)).1, ["(serial code)"]);
        assert_eq!(table.lay_out(&screen(12)).1, ["…erial code)"]);
    }

    #[test]
    fn indentation_stays_as_long_as_there_is_room() {
        let mut table = Table::new([Column::tree("site")]);
        for depth in [0, 1, 4, 20] {
            table.row([format!("{:depth$}join src/main.rs:1:2", "")]);
        }
        let (_, rows) = table.lay_out(&screen(20));
        assert_eq!(
            rows,
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
        let mut table = Table::new([Column::tree("site")]);
        for depth in [2, 9] {
            table.row([format!("{:depth$}{MARK} module::function", "")]);
        }
        let (_, rows) = table.lay_out(&screen(18));
        assert_eq!(rows, ["  ↻ …ule::function", "    ↻ …e::function"]);
    }

    #[test]
    fn words_go_over_several_lines() {
        let mut table = Table::new([Column::left(""), Column::words("")]);
        table.row(["Work".to_owned(), "time of all strands".to_owned()]);
        let (heading, rows) = table.lay_out(&screen(22));
        assert_eq!(heading, [""; 0]);
        assert_eq!(rows, ["Work  time of all", "      strands"]);
    }

    #[test]
    fn in_ascii_no_other_sign_is_drawn() {
        let ascii = Screen {
            charset: Charset::Ascii,
            ..screen(18)
        };
        let mut table = Table::new([Column::tree("site")]);
        table.row([format!("  {MARK} module::function")]);
        assert_eq!(table.lay_out(&ascii).1, ["  @ ...e::function"]);
    }

    #[test]
    fn without_room_each_row_is_a_paragraph() {
        let (heading, rows) = table().lay_out(&screen(20));
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
