//! Words that name lines of files, and the choice among several meanings of words.

use std::collections::BTreeSet;

/// Whether `name` is `file` or ends with its path.
pub(super) fn is_file(name: &str, file: &str) -> bool {
    let before = name.strip_suffix(file);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// `FILE:FIRST-LAST`.
pub(super) fn line_range(words: &str) -> Option<(&str, u32, u32)> {
    let (file, lines) = words.rsplit_once(':')?;
    let (first, last) = lines.split_once('-')?;
    Some((file, first.parse().ok()?, last.parse().ok()?))
}

/// `FILE:LINE` or `FILE:LINE:COLUMN`.
pub(super) fn place(words: &str) -> Option<(&str, u32)> {
    let (before, number) = words.rsplit_once(':')?;
    let number: u32 = number.parse().ok()?;
    let with_column = before.rsplit_once(':');
    let with_column = with_column.and_then(|(file, line)| Some((file, line.parse().ok()?)));
    Some(with_column.unwrap_or((before, number)))
}

/// `FILE:LINE`, with a column or without, or `FILE:FIRST-LAST`.
pub(super) fn lines(words: &str) -> Option<(&str, u32, u32)> {
    let line = || place(words).map(|(file, line)| (file, line, line));
    line_range(words).or_else(line)
}

/// Only `words` if they are one of `names`; otherwise all names.
pub(super) fn exact_or_all<'a>(names: BTreeSet<&'a str>, words: &str) -> BTreeSet<&'a str> {
    match names.get(words) {
        Some(exact) => BTreeSet::from([*exact]),
        None => names,
    }
}
