//! What the figures of a page mean.

use serde::Serialize;

/// A figure and its definition.
#[derive(Serialize)]
pub(super) struct Term {
    /// The key by which the scripts know it.
    key: &'static str,
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
}

/// Every figure that the page explains.
pub(super) fn terms() -> Vec<Term> {
    let lines = include_str!("../../assets/html/glossary.txt").lines();
    let terms = lines.map(|line| {
        let mut parts = line.splitn(4, '|').map(str::trim);
        let mut part = || parts.next().unwrap_or_default();
        Term {
            key: part(),
            name: part(),
            unit: part(),
            meaning: part(),
        }
    });
    terms.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_told_apart_and_explained() {
        let terms = terms();
        for (at, term) in terms.iter().enumerate() {
            let mut before = terms[..at].iter();
            assert!(before.all(|other| other.key != term.key), "{}", term.key);
            assert!(term.meaning.ends_with(['.', ')', '?']), "{}", term.key);
        }
    }
}
