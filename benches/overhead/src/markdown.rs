//! Markdown tables that are also readable in a terminal.

use std::fmt;

/// A table whose first column is text, aligned left; the others are figures, aligned right.
#[derive(Clone, Debug)]
pub struct Table<const COLUMNS: usize> {
    rows: Vec<[String; COLUMNS]>,
}

impl<const COLUMNS: usize> Table<COLUMNS> {
    /// A table of headings only.
    pub fn new(headings: [&str; COLUMNS]) -> Self {
        Table {
            rows: vec![headings.map(str::to_owned)],
        }
    }

    /// Adds a row at the bottom.
    pub fn add(&mut self, row: [String; COLUMNS]) {
        self.rows.push(row);
    }
}

impl<const COLUMNS: usize> fmt::Display for Table<COLUMNS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or_default().max(2)
        };
        let widths: [usize; COLUMNS] = std::array::from_fn(width);
        for (number, row) in self.rows.iter().enumerate() {
            for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
                match column {
                    0 => write!(f, "| {cell:<width$} |")?,
                    _ => write!(f, " {cell:>width$} |")?,
                }
            }
            writeln!(f)?;
            if number == 0 {
                write!(f, "| {} |", "-".repeat(widths[0]))?;
                for width in &widths[1..] {
                    write!(f, " {}: |", "-".repeat(width - 1))?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

/// A cell with an amount of memory.
pub fn megabytes(bytes: f64) -> String {
    format!("{:.1} MB", bytes / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(["program", "s"]);
        table.add(["fib".to_owned(), "1.25".to_owned()]);
        assert_eq!(
            table.to_string(),
            "| program |    s |\n| ------- | ---: |\n| fib     | 1.25 |\n"
        );
    }
}
