//! Columns of a table.

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
            Self::End | Self::Indented => Some(LEAST_FLEXIBLE),
            Self::Wrapped => Some(LEAST_WORDS),
        }
    }
}
