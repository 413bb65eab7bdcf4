//! The words that Cilk adds to C and C++.

use super::token::Token;

/// A keyword of Cilk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Spawn,
    Sync,
    For,
    Scope,
    /// `cilk_reducer(identity, reduce)` in a type.
    Reducer,
}

impl Keyword {
    /// The keyword that `token` is.
    pub(super) fn from_token(token: &Token) -> Option<Self> {
        token.is_word().then(|| Self::from_word(&token.text))?
    }

    /// The keyword that is written `word`.
    pub(super) fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "cilk_spawn" | "_Cilk_spawn" => Self::Spawn,
            "cilk_sync" | "_Cilk_sync" => Self::Sync,
            "cilk_for" | "_Cilk_for" => Self::For,
            "cilk_scope" | "_Cilk_scope" => Self::Scope,
            "cilk_reducer" | "_Hyperobject" => Self::Reducer,
            _ => return None,
        })
    }

    /// The first keyword in a text of the preprocessor, as it is written there.
    pub(super) fn in_text(text: &str) -> Option<&str> {
        let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
        text.split(|character| !is_word(character))
            .find(|word| Self::from_word(word).is_some())
    }
}
