//! Records of CSV whose cells may hold anybody's text.

use std::borrow::Cow;
use std::io;

use crate::readable::readable_lines;

/// Writes records.
pub(super) struct Records<W: io::Write>(csv::Writer<W>);

impl<W: io::Write> Records<W> {
    pub(super) fn to(output: W) -> Self {
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

/// The cell, which a spreadsheet takes for text, or for a number, but not for a formula: a quote stands before what would be one.
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
