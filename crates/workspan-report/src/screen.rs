//! What a text is laid out for.

use crate::Charset;

/// The terminal, or the file, that a text is laid out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Its columns; at least [`NARROWEST`](Self::NARROWEST) are used.
    pub width: usize,
    /// Whether to colour with ANSI escapes.
    pub colour: bool,
    /// What bars and marks are drawn with. Names of the user's program stay what they are.
    pub charset: Charset,
}

impl Screen {
    /// The narrowest that texts are laid out for: narrower terminals wrap lines.
    pub const NARROWEST: usize = 40;

    /// The same with so many columns.
    #[must_use]
    pub const fn of_width(self, width: usize) -> Self {
        Self { width, ..self }
    }

    /// What stands for what is left out of a name.
    pub(crate) fn ellipsis(&self) -> &'static str {
        match self.charset {
            Charset::Unicode => "…",
            // Two dots stand between the ends of a piece of code.
            Charset::Ascii => "...",
        }
    }

    /// Whether it has no more than the characters of ASCII.
    pub(crate) fn is_ascii(&self) -> bool {
        self.charset == Charset::Ascii
    }
}

impl Default for Screen {
    /// 80 columns without colour.
    fn default() -> Self {
        Self {
            width: 80,
            colour: false,
            charset: Charset::Unicode,
        }
    }
}
