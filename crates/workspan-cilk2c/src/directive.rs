//! Lines of the preprocessor.

use std::ops::Range;

use super::place::Place;

/// A line of the preprocessor, continued lines included.
#[derive(Clone, Debug)]
pub(super) struct Directive {
    /// `include`, `define`…; empty for a line that says where a preprocessor took the next one from.
    pub(super) name: String,
    /// What stands after the name, without comments.
    pub(super) rest: String,
    pub(super) place: Place,
    /// The bytes in the source, from `#` to before the end of the line.
    pub(super) bytes: Range<usize>,
    /// How many tokens of the source stand before it.
    pub(super) tokens_before: usize,
    pub(super) branch: usize,
}

impl Directive {
    /// The directive whose text after `#` is `text`.
    pub(super) fn new(text: &str, place: Place, bytes: Range<usize>, tokens_before: usize) -> Self {
        let text = text.trim();
        let length = text
            .find(|character: char| !character.is_ascii_alphabetic() && character != '_')
            .unwrap_or(text.len());
        Self {
            name: text[..length].to_owned(),
            rest: text[length..].trim().to_owned(),
            place,
            bytes,
            tokens_before,
            branch: 0,
        }
    }

    /// The file that is included, without quotes or angle brackets.
    pub(super) fn included(&self) -> Option<&str> {
        if !matches!(self.name.as_str(), "include" | "include_next" | "import") {
            return None;
        }
        let close = match self.rest.chars().next()? {
            '<' => '>',
            '"' => '"',
            _ => return None,
        };
        self.rest[1..].split(close).next()
    }

    /// The macro that is defined, and what it stands for, parameters included.
    pub(super) fn defined(&self) -> Option<(&str, &str)> {
        (self.name == "define").then(|| {
            let length = self
                .rest
                .find(|character: char| !character.is_ascii_alphanumeric() && character != '_')
                .unwrap_or(self.rest.len());
            self.rest.split_at(length)
        })
    }

    /// The number of the next line and its file, if the line tells these: `#line 3 "f.c"`, `# 3 "f.c"`.
    pub(super) fn line_marker(&self) -> Option<(u32, Option<&str>)> {
        if !matches!(self.name.as_str(), "" | "line") {
            return None;
        }
        let mut parts = self.rest.splitn(2, char::is_whitespace);
        let line = parts.next()?.parse().ok()?;
        let file = parts.next().and_then(|rest| {
            let rest = rest.trim().strip_prefix('"')?;
            rest.split('"').next()
        });
        Some((line, file))
    }

    /// The expression of `#pragma cilk grainsize = N`.
    pub(super) fn grain_size(&self) -> Option<&str> {
        let rest = self.rest.strip_prefix("cilk")?.trim_start();
        let rest = rest.strip_prefix("grainsize")?.trim_start();
        let expression = rest.strip_prefix('=').unwrap_or(rest).trim();
        (self.name == "pragma" && !expression.is_empty()).then_some(expression)
    }
}
