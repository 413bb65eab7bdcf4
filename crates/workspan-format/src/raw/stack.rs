//! Stacks as the engine copies them: only the words that unwinding may need.

use super::fields::{Fields, Problem};

/// The copied part of a stack. A place on a stack is a number of words from its top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackCopy {
    /// The address of the instruction that ran.
    pub instruction: u64,
    /// The size in words, down to where the task began.
    pub size: u32,
    /// The place that the frame pointer led to, if it is on the stack.
    pub frame: Option<u32>,
    /// The link register, on processors that have one, if it held an address in code.
    pub link: Option<u64>,
    /// Words that may be return addresses or frame pointers, each with its place, in order.
    pub words: Vec<(u32, RawWord)>,
}

/// A word of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawWord {
    /// An address in code.
    Code(u64),
    /// A place further out on the same stack.
    Place(u32),
}

impl StackCopy {
    /// The word at a place, if it was copied.
    pub fn word(&self, place: u32) -> Option<RawWord> {
        let index = self
            .words
            .binary_search_by_key(&place, |(place, _)| *place)
            .ok()?;
        Some(self.words[index].1)
    }

    /// Parses all remaining fields.
    pub(crate) fn parse(mut fields: Fields<'_>) -> Result<Self, Problem> {
        let mut copy = Self {
            instruction: fields.hex("the instruction")?,
            size: fields.number("the size of the stack")?,
            frame: fields.optional("the place of the frame pointer", Fields::number)?,
            link: fields.optional("the link register", Fields::hex)?,
            words: Vec::new(),
        };
        while !fields.is_empty() {
            let field = fields.word("a word of the stack")?;
            let word =
                word(field).ok_or_else(|| format!("`{field}` is no place and word of a stack"))?;
            let is_in_order = copy.words.last().is_none_or(|(last, _)| *last < word.0);
            if !is_in_order || word.0 >= copy.size {
                return Err(format!(
                    "the word `{field}` is out of its order or the stack"
                ));
            }
            copy.words.push(word);
        }
        Ok(copy)
    }
}

fn word(field: &str) -> Option<(u32, RawWord)> {
    if let Some((place, address)) = field.split_once(':') {
        let address = u64::from_str_radix(address, 16).ok()?;
        return Some((place.parse().ok()?, RawWord::Code(address)));
    }
    let (place, to) = field.split_once('>')?;
    Some((place.parse().ok()?, RawWord::Place(to.parse().ok()?)))
}
