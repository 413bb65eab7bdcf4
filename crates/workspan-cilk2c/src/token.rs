//! Tokens of C and C++, as far as finding statements needs them.

use super::place::Place;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// An identifier or a keyword.
    Word,
    /// A number.
    Number,
    /// A string or a character.
    Literal,
    /// An operator or a bracket.
    Punctuation,
}

/// A token: where it stands, and what it says without continued lines.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// The text, without backslashes at ends of lines, and with digraphs as what they stand for.
    pub(super) text: String,
    /// The first byte in the source.
    pub(super) start: usize,
    /// The byte after the last.
    pub(super) end: usize,
    pub(super) place: Place,
    /// The branch of `#if` that the token is in, an index of [`Lexed::branches`](super::lexer::Lexed::branches).
    pub(super) branch: usize,
}

impl Token {
    /// Whether the token is the operator, bracket or word `text`.
    pub(super) fn is(&self, text: &str) -> bool {
        self.kind != TokenKind::Literal && self.text == text
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == TokenKind::Word
    }
}
