//! Columns of a table.

/// A mark before text; it stays when the text's start is left out.
pub(super) const MARK: char = '↻';

/// The least width of a flexible column, however narrow the page is.
pub(super) const LEAST_FLEXIBLE: usize = 12;

/// The least width of a column of words; with less, the rows become paragraphs.
const LEAST_WORDS: usize = 16;

/// Stands where a heading breaks within a word; shown as a hyphen.
pub(super) const SOFT_HYPHEN: char = '\u{ad}';

/// A column of a table.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) heading: String,
    pub(super) align: Align,
    pub(super) fit: Fit,
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

impl Column {
    /// A column of text.
    pub(super) fn left(heading: &str) -> Self {
        Self {
            heading: heading.to_owned(),
            align: Align::Left,
            fit: Fit::Whole,
        }
    }

    /// A column of figures.
    pub(super) fn right(heading: &str) -> Self {
        Self {
            align: Align::Right,
            ..Self::left(heading)
        }
    }

    /// A column of text whose start can be left out.
    pub(super) fn flexible(heading: &str) -> Self {
        Self {
            fit: Fit::End,
            ..Self::left(heading)
        }
    }

    /// A column of text whose start can be left out, but not its indentation and its marks
    /// ([`MARK`]).
    pub(super) fn tree(heading: &str) -> Self {
        Self {
            fit: Fit::Indented,
            ..Self::left(heading)
        }
    }

    /// A column of words that can go over several lines.
    pub(super) fn words(heading: &str) -> Self {
        Self {
            fit: Fit::Wrapped,
            ..Self::left(heading)
        }
    }

    /// The width that it cannot go below; `None` if it does not give way at all.
    pub(super) const fn least_width(&self) -> Option<usize> {
        match self.fit {
            Fit::Whole => None,
            Fit::End | Fit::Indented => Some(LEAST_FLEXIBLE),
            Fit::Wrapped => Some(LEAST_WORDS),
        }
    }
}
