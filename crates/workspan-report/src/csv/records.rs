//! CSV records whose cells may hold untrusted text.

use std::borrow::Cow;
use std::io;

use workspan_model::{Location, Nanos};

use crate::readable::readable_lines;

/// A writer of records.
pub(super) struct Records<W: io::Write>(csv::Writer<W>);

impl<W: io::Write> Records<W> {
    pub(super) fn new(output: W) -> Self {
        Self(csv::Writer::from_writer(output))
    }

    pub(super) fn write<C: AsRef<str>>(
        &mut self,
        cells: impl IntoIterator<Item = C>,
    ) -> io::Result<()> {
        for cell in cells {
            self.0.write_field(safe(cell.as_ref()).as_ref())?;
        }
        self.0.write_record(None::<&[u8]>)?;
        Ok(())
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The names and values of a record.
pub(crate) type Fields = Vec<(String, String)>;

/// A record, a field a line: its name, and what it holds.
macro_rules! fields {
    ($($name:literal => $cell:expr,)+) => {
        vec![$(($name.to_owned(), $crate::csv::Cell::written(&$cell))),+]
    };
}

pub(crate) use fields;

/// What a field holds. Unknown values are empty.
pub(crate) trait Cell {
    fn written(&self) -> String;
}

macro_rules! plain_cells {
    ($($type:ty),+) => {
        $(impl Cell for $type {
            fn written(&self) -> String {
                self.to_string()
            }
        })+
    };
}

plain_cells!(bool, u32, u64, usize, &str, String, Location);

/// The shortest decimal that reads back as the same number.
impl Cell for f64 {
    fn written(&self) -> String {
        format!("{self:?}")
    }
}

/// In nanoseconds.
impl Cell for Nanos {
    fn written(&self) -> String {
        self.as_nanos().to_string()
    }
}

impl<C: Cell> Cell for Option<C> {
    fn written(&self) -> String {
        self.as_ref().map_or_else(String::new, C::written)
    }
}

impl<C: Cell> Cell for &C {
    fn written(&self) -> String {
        (*self).written()
    }
}

/// Writes the names of the first record, which all have, then the values of each.
pub(crate) fn write_fields(
    records: impl IntoIterator<Item = Fields>,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let mut writer = Records::new(output);
    for (index, record) in records.into_iter().enumerate() {
        let (names, values): (Vec<String>, Vec<String>) = record.into_iter().unzip();
        if index == 0 {
            writer.write(names)?;
        }
        writer.write(values)?;
    }
    writer.flush()
}

/// The cell so that a spreadsheet takes it for text or for a number, but never for a formula: a
/// quote goes before what would be one.
fn safe(cell: &str) -> Cow<'_, str> {
    let begins_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if begins_formula && cell.parse::<f64>().is_err() {
        return format!("'{}", readable_lines(cell)).into();
    }
    readable_lines(cell).into()
}

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn no_cell_is_a_formula() {
        for (cell, written) in [
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("+x", "'+x"),
            ("-x", "'-x"),
            ("-12.5", "-12.5"),
            ("+3", "+3"),
            ("src/a.rs", "src/a.rs"),
            ("a\u{202e}b\u{1b}", r"a\u{202e}b\u{1b}"),
            ("", ""),
        ] {
            assert_eq!(safe(cell), written);
        }
    }
}
