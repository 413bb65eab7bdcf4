//! The screen that a text is laid out for.

use std::io;

use anstyle::Style;
use workspan_model::{Analysis, Profile};

/// The terminal or file that a text is laid out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Its width in columns; at least [`NARROWEST`](Self::NARROWEST) are used.
    pub width: usize,
    /// Whether to colour with ANSI escapes.
    pub colour: bool,
    /// What bars and marks are drawn with. Names of the user's program stay as they are.
    pub charset: Charset,
}

impl Screen {
    /// The least width that texts are laid out for: narrower terminals wrap lines.
    pub const NARROWEST: usize = 40;

    /// This screen with `width` columns.
    #[must_use]
    pub const fn with_width(self, width: usize) -> Self {
        Self { width, ..self }
    }

    /// Stands for the part of a name that is left out.
    pub(crate) fn ellipsis(&self) -> &'static str {
        match self.charset {
            Charset::Unicode => "…",
            // Two dots already stand between the ends of a piece of code.
            Charset::Ascii => "...",
        }
    }

    /// Whether it can only show ASCII.
    pub(crate) fn is_ascii(&self) -> bool {
        self.charset == Charset::Ascii
    }

    /// `text` in `style`, if the screen has colours.
    pub(crate) fn styled(&self, style: Style, text: &str) -> String {
        if self.colour {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
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

/// The characters that lines, bars and curves of a text are drawn with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charset {
    /// Box-drawing characters and the like, for readers of UTF-8.
    #[default]
    Unicode,
    /// ASCII alone.
    Ascii,
}

/// A form that a profile can be printed in.
pub trait Renderer {
    /// Writes `profile` and its `analysis` to `output`; the same profile always gives the same
    /// bytes.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    ///
    /// # Panics
    /// If the profile is not valid ([`Profile::check`]).
    fn render(
        &self,
        profile: &Profile,
        analysis: &Analysis,
        output: &mut dyn io::Write,
    ) -> io::Result<()>;
}
