//! The characters that a text may use.

/// The characters that lines, bars and curves of a text are drawn with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charset {
    /// Box-drawing characters and the like, for readers of UTF-8.
    #[default]
    Unicode,
    /// ASCII alone.
    Ascii,
}
