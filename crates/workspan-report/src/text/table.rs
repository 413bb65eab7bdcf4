//! Tables that fit a width: text columns give way, figures never do.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Space between columns.
const GAP: usize = 2;

/// What a flexible column keeps, however narrow the page is.
const LEAST_FLEXIBLE: usize = 12;

/// A mark before text, which stays when the text's start is left out.
pub(super) const MARK: char = '↻';

/// A column of a table.
#[derive(Clone, Debug)]
pub(super) struct Column {
    heading: String,
    align: Align,
    flexible: bool,
    indented: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Align {
    Left,
    Right,
}

impl Column {
    /// Of text.
    pub(super) fn left(heading: &str) -> Self {
        Self {
            heading: heading.to_owned(),
            align: Align::Left,
            flexible: false,
            indented: false,
        }
    }

    /// Of figures.
    pub(super) fn right(heading: &str) -> Self {
        Self {
            align: Align::Right,
            ..Self::left(heading)
        }
    }

    /// Of text whose start can be left out.
    pub(super) fn flexible(heading: &str) -> Self {
        Self {
            flexible: true,
            ..Self::left(heading)
        }
    }

    /// Of text whose start can be left out after the blanks that it is indented by, and after marks ([`MARK`]).
    pub(super) fn tree(heading: &str) -> Self {
        Self {
            indented: true,
            ..Self::flexible(heading)
        }
    }
}

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

    /// What to write for `text` where there is no room for it.
    pub(super) fn alternative(&mut self, text: &'static str, short: &'static str) {
        self.alternatives.push((text, short));
    }

    /// The lines of the heading and those of the rows, for a page of `width` columns.
    pub(super) fn lay_out(&self, width: usize) -> (Vec<String>, Vec<String>) {
        let widths = self.widths(width);
        let headings: Vec<Vec<&str>> = self
            .columns
            .iter()
            .map(|column| column.heading.split('\n').collect())
            .collect();
        let height = headings.iter().map(Vec::len).max().unwrap_or(0);
        let heading_line = |line: usize| {
            let cells = headings.iter().map(|lines| {
                let above = height - lines.len();
                line.checked_sub(above)
                    .map_or("", |line| lines[line])
                    .to_owned()
            });
            self.line(cells, &widths)
        };
        let heading = (0..height)
            .map(heading_line)
            .filter(|line| !line.is_empty())
            .collect();
        let rows = self.rows.iter().map(|cells| {
            let cells = cells.iter().zip(&widths).zip(&self.columns);
            let cells = cells.map(|((cell, &width), column)| match column.indented {
                true => self.fit_indented(cell, width),
                false => self.fit(cell, width),
            });
            self.line(cells, &widths)
        });
        (heading, rows.collect())
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

    /// The widths of the columns: as wide as their cells, flexible ones narrower, the widest of them
    /// first and indented ones last, until the page holds them all.
    fn widths(&self, page: usize) -> Vec<usize> {
        let natural = |(index, column): (usize, &Column)| {
            let headings = column.heading.split('\n').map(UnicodeWidthStr::width);
            let cells = self.rows.iter().map(|cells| cells[index].width());
            headings.chain(cells).max().unwrap_or(0)
        };
        let mut widths: Vec<usize> = self.columns.iter().enumerate().map(natural).collect();
        let gaps = GAP * self.columns.len().saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > page {
            let flexible = (0..widths.len())
                .filter(|&index| self.columns[index].flexible && widths[index] > LEAST_FLEXIBLE);
            match flexible.max_by_key(|&index| (!self.columns[index].indented, widths[index])) {
                Some(widest) => widths[widest] -= 1,
                None => break,
            }
        }
        widths
    }

    /// The cell with as much of its indentation as leaves room for some of its text.
    fn fit_indented(&self, cell: &str, width: usize) -> String {
        let text = cell.trim_start_matches([' ', MARK]);
        let before: Vec<char> = cell[..cell.len() - text.len()].chars().collect();
        let most = width.saturating_sub(LEAST_FLEXIBLE.min(text.width()));
        let indent: String = before[before.len().saturating_sub(most)..].iter().collect();
        let text = self.fit(text, width - indent.width());
        indent + &text
    }

    fn fit(&self, cell: &str, width: usize) -> String {
        if cell.width() <= width {
            return cell.to_owned();
        }
        match self.alternatives.iter().find(|(text, _)| *text == cell) {
            Some((_, short)) => keep_end(short, width),
            None => keep_end(cell, width),
        }
    }
}

/// `text`, or `…` and as much of its end as `width` columns hold.
fn keep_end(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let mut start = text.len();
    for (index, character) in text.char_indices().rev() {
        match room.checked_sub(character.width().unwrap_or(0)) {
            Some(left) => (room, start) = (left, index),
            None => break,
        }
    }
    format!("…{}", &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let (heading, rows) = table().lay_out(80);
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
        let (_, rows) = table().lay_out(27);
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
        assert_eq!(table.lay_out(28).1, ["(serial code of the program)"]);
        assert_eq!(table.lay_out(20).1, ["(serial code)"]);
        assert_eq!(table.lay_out(12).1, ["…erial code)"]);
    }

    #[test]
    fn indentation_stays_as_long_as_there_is_room() {
        let mut table = Table::new([Column::tree("site")]);
        for depth in [0, 1, 4, 20] {
            table.row([format!("{:depth$}join src/main.rs:1:2", "")]);
        }
        let (_, rows) = table.lay_out(20);
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
        let (_, rows) = table.lay_out(18);
        assert_eq!(rows, ["  ↻ …ule::function", "    ↻ …e::function"]);
    }

    #[test]
    fn keeps_the_end() {
        assert_eq!(keep_end("src/main.rs:1:2", 15), "src/main.rs:1:2");
        assert_eq!(keep_end("src/main.rs:1:2", 8), "….rs:1:2");
        assert_eq!(keep_end("数数数", 5), "…数数");
    }
}
