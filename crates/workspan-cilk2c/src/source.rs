//! A source text whose brackets are known to match.

use std::ops::Range;

use super::lexer::Lexed;
use super::problem::{Problem, What};
use super::token::{Token, TokenKind};

/// The tokens of a source with the partner of each bracket.
#[derive(Debug)]
pub(super) struct Source<'a> {
    whole: &'a str,
    pub(super) lexed: Lexed,
    partners: Vec<usize>,
}

impl<'a> Source<'a> {
    /// Finds the partners of the brackets.
    pub(super) fn new(whole: &'a str, lexed: Lexed) -> Result<Self, Problem> {
        let mut partners = vec![usize::MAX; lexed.tokens.len()];
        let mut open: Vec<usize> = Vec::new();
        let unbalanced =
            |token: &Token| Problem::new(&token.place, What::Unbalanced(token.text.clone()));
        for (index, token) in lexed.tokens.iter().enumerate() {
            if token.kind != TokenKind::Punctuation {
                continue;
            }
            let opening = match token.text.as_str() {
                "(" | "[" | "{" => {
                    open.push(index);
                    continue;
                }
                ")" => "(",
                "]" => "[",
                "}" => "{",
                _ => continue,
            };
            let partner = open.pop().ok_or_else(|| unbalanced(token))?;
            if lexed.tokens[partner].text != opening {
                return Err(unbalanced(token));
            }
            partners[index] = partner;
            partners[partner] = index;
        }
        match open.first() {
            Some(&first) => Err(unbalanced(&lexed.tokens[first])),
            None => Ok(Self {
                whole,
                lexed,
                partners,
            }),
        }
    }

    /// The bytes of the source as they are.
    pub(super) fn text(&self, bytes: &Range<usize>) -> &'a str {
        &self.whole[bytes.clone()]
    }

    pub(super) fn len(&self) -> usize {
        self.lexed.tokens.len()
    }

    pub(super) fn token(&self, index: usize) -> &Token {
        &self.lexed.tokens[index]
    }

    /// Whether the token `index` exists and is `text`.
    pub(super) fn is(&self, index: usize, text: &str) -> bool {
        self.lexed
            .tokens
            .get(index)
            .is_some_and(|token| token.is(text))
    }

    /// Whether the token `index` exists and is one of `texts`.
    pub(super) fn is_any(&self, index: usize, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.is(index, text))
    }

    pub(super) fn is_word(&self, index: usize) -> bool {
        self.lexed.tokens.get(index).is_some_and(Token::is_word)
    }

    /// The partner of the bracket `index`.
    pub(super) fn partner(&self, index: usize) -> usize {
        self.partners[index]
    }

    /// The token after `index`, or after the bracketed text that begins there.
    pub(super) fn after(&self, index: usize) -> usize {
        match self.is_any(index, &["(", "[", "{"]) {
            true => self.partner(index) + 1,
            false => index + 1,
        }
    }

    /// The token before `index`, or before the bracketed text that ends there.
    pub(super) fn before(&self, index: usize) -> Option<usize> {
        match self.is_any(index, &[")", "]", "}"]) {
            true => self.partner(index).checked_sub(1),
            false => index.checked_sub(1),
        }
    }

    /// The token after the template arguments whose `<` is at `index`; none if these do not end before `end`.
    pub(super) fn after_angles(&self, index: usize, end: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let mut at = index;
        while at < end {
            if self.is(at, "<") {
                depth += 1;
            } else if self.is(at, ">") {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            } else if self.is_any(at, &[";", "{", "&&", "||"]) {
                return None;
            }
            at = self.after(at);
        }
        None
    }

    /// The text of the tokens in `range` as one word: `a::b<c>`.
    pub(super) fn joined(&self, range: Range<usize>) -> String {
        let mut joined = String::new();
        for token in &self.lexed.tokens[range] {
            let is_word = token.kind != TokenKind::Punctuation;
            if is_word && joined.ends_with(|last: char| last.is_alphanumeric() || last == '_') {
                joined.push(' ');
            }
            joined.push_str(&token.text);
        }
        joined
    }
}
