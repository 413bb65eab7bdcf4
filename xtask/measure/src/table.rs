//! Markdown tables that are also readable in a terminal.

use std::fmt;

/// A table. Its columns are as wide as their longest cell.
#[derive(Clone, Debug)]
pub(crate) struct Table<const COLUMNS: usize> {
    rows: Vec<[String; COLUMNS]>,
}

impl<const COLUMNS: usize> Table<COLUMNS> {
    /// A table of headings only.
    pub(crate) fn new(headings: [&str; COLUMNS]) -> Self {
        let rows = vec![headings.map(str::to_owned)];
        Table { rows }
    }

    /// Adds a row at the bottom.
    pub(crate) fn add(&mut self, row: [String; COLUMNS]) {
        self.rows.push(row);
    }
}

impl<const COLUMNS: usize> fmt::Display for Table<COLUMNS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| {
            self.rows
                .iter()
                .map(|row| row[column].chars().count())
                .max()
        };
        let widths: [usize; COLUMNS] = std::array::from_fn(|column| width(column).unwrap_or(0));
        for (number, row) in self.rows.iter().enumerate() {
            for (cell, width) in row.iter().zip(widths) {
                write!(f, "| {cell:<width$} ")?;
            }
            writeln!(f, "|")?;
            if number == 0 {
                widths
                    .iter()
                    .try_for_each(|width| write!(f, "| {} ", "-".repeat(*width)))?;
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(["program", "s"]);
        table.add(["fib".to_owned(), "1.25".to_owned()]);
        let expected = "| program | s    |\n| ------- | ---- |\n| fib     | 1.25 |\n";
        assert_eq!(table.to_string(), expected);
    }
}
