//! Finding the rows that a user asks for.

use std::collections::BTreeSet;

use crate::run::site::enclosing_function;
use crate::{Location, SiteKind, SiteRow};

/// Why words do not identify rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// No row matches.
    #[error("no site is called or stands at `{0}`")]
    None(String),
    /// Rows of several kinds match.
    #[error("sites of several kinds are called or stand at `{words}`")]
    SeveralKinds {
        /// The words.
        words: String,
        /// The rows, as indices.
        rows: Vec<usize>,
    },
}

/// The rows that `words` refer to, as indices into `rows`; all are of one kind.
///
/// `words` are the end of a location (`main.rs:40`, `src/main.rs:40:9`), either of the site or of
/// the definition of the function that it calls, or the end of a name: that of a region, of a
/// called function, or otherwise of a function that contains sites. `KIND at WORDS` (`join at
/// main.rs:40`) excludes other kinds, and `root` is the root.
///
/// # Errors
/// If no row matches, or several of different kinds do.
pub fn select_rows(rows: &[SiteRow], words: &str) -> Result<Vec<usize>, SelectionError> {
    let (kind, place) = kind_and_place(words.trim());
    let found = |is_meant: &dyn Fn(&SiteRow) -> bool| -> Vec<usize> {
        let rows = rows.iter().enumerate();
        let of_kind = rows.filter(|(_, row)| kind.is_none_or(|kind| row.kind == kind));
        let meant = of_kind.filter(|(_, row)| is_meant(row));
        meant.map(|(index, _)| index).collect()
    };
    // A place takes precedence over a name, and a name over the function around a site.
    let ways: [&dyn Fn(&SiteRow) -> bool; 4] = [
        &|row| is_at(row.location.as_ref(), place),
        &|row| is_at(row.callee.as_ref(), place),
        &|row| is_called(row.name.as_deref(), place) || is_root(row, place),
        &|row| is_called(row.function.as_deref(), place) || stands_in(row, place),
    ];
    let selected = ways.into_iter().map(found).find(|rows| !rows.is_empty());
    let selected = selected.ok_or_else(|| SelectionError::None(words.to_owned()))?;
    let kinds: BTreeSet<&str> = selected.iter().map(|&row| rows[row].kind.name()).collect();
    if kinds.len() > 1 {
        return Err(SelectionError::SeveralKinds {
            words: words.to_owned(),
            rows: selected,
        });
    }
    Ok(selected)
}

/// Splits `KIND at PLACE`; without a kind, everything is the place.
pub(crate) fn kind_and_place(words: &str) -> (Option<SiteKind>, &str) {
    let kind_of = |name: &str| SiteKind::ALL.into_iter().find(|kind| kind.name() == name);
    match words.split_once(" at ") {
        Some((kind, place)) if kind_of(kind).is_some() => (kind_of(kind), place.trim()),
        _ => (None, words),
    }
}

/// Whether `location`, with or without its column, ends with the whole path segments and numbers of
/// `place`.
pub(crate) fn is_at(location: Option<&Location>, place: &str) -> bool {
    let Some(location) = location else {
        return false;
    };
    let with_line = format!("{}:{}", location.file, location.line);
    [location.to_string(), with_line]
        .iter()
        .any(|text| ends_with_whole(text, place, "/"))
}

/// Whether `name` ends with the whole path segments of `place`.
pub(crate) fn is_called(name: Option<&str>, place: &str) -> bool {
    name.is_some_and(|name| ends_with_whole(name, place, "::"))
}

/// Whether the row's sites are in a closure of the function `name`.
fn stands_in(row: &SiteRow, name: &str) -> bool {
    is_called(row.function.as_deref().map(enclosing_function), name)
}

fn is_root(row: &SiteRow, place: &str) -> bool {
    row.kind == SiteKind::Root && place == SiteKind::Root.name()
}

/// Whether `text` ends with `end`, and `end` begins right after a separator or is all of it.
fn ends_with_whole(text: &str, end: &str, separator: &str) -> bool {
    !end.is_empty()
        && text
            .strip_suffix(end)
            .is_some_and(|before| before.is_empty() || before.ends_with(separator))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{example, site_rows};

    fn rows() -> Vec<SiteRow> {
        let mut join = site_rows(&example::quicksort()).remove(0);
        join.function = Some("app::sort::quick::{closure}".to_owned());
        let at = |kind, line, column, name: Option<&str>| {
            let mut row = join.clone();
            row.kind = kind;
            row.name = name.map(ToOwned::to_owned);
            let location = row.location.as_mut().unwrap();
            (location.line, location.column) = (line, column);
            row
        };
        let mut root = at(SiteKind::Root, 0, 0, None);
        (root.location, root.function) = (None, None);
        vec![
            root,
            at(SiteKind::Join, 31, 9, None),
            at(SiteKind::Join, 131, 9, None),
            at(SiteKind::Function, 28, 17, Some("app::sort::partition")),
            at(SiteKind::Function, 99, 5, Some("app::sort::partition")),
            at(SiteKind::Region, 28, 5, Some("sort all")),
        ]
    }

    fn selected(words: &str) -> Result<Vec<usize>, SelectionError> {
        select_rows(&rows(), words)
    }

    #[test]
    fn locations_are_identified_by_their_end() {
        assert_eq!(selected("examples/quicksort.rs:31:9"), Ok(vec![1]));
        assert_eq!(selected("quicksort.rs:31"), Ok(vec![1]));
        for nowhere in ["sort.rs:31", "31", "quicksort.rs:3", "quicksort.rs", ""] {
            let expected = Err(SelectionError::None(nowhere.to_owned()));
            assert_eq!(selected(nowhere), expected);
        }
    }

    #[test]
    fn a_name_selects_all_sites_that_have_it() {
        assert_eq!(selected("partition"), Ok(vec![3, 4]));
        assert_eq!(selected("sort::partition"), Ok(vec![3, 4]));
        assert_eq!(selected("sort all"), Ok(vec![5]));
        assert_eq!(selected(" root "), Ok(vec![0]));
        assert!(selected("tition").is_err());
    }

    #[test]
    fn a_selection_has_one_kind() {
        let several = |words: &str, rows: &[usize]| {
            let (words, rows) = (words.to_owned(), rows.to_vec());
            Err(SelectionError::SeveralKinds { words, rows })
        };
        assert_eq!(
            selected("quicksort.rs:28"),
            several("quicksort.rs:28", &[3, 5])
        );
        assert_eq!(selected("region at quicksort.rs:28"), Ok(vec![5]));
        assert_eq!(selected("function at quicksort.rs:28"), Ok(vec![3]));
        assert_eq!(selected("quick"), several("quick", &[1, 2, 3, 4, 5]));
        assert_eq!(selected("join at quick"), Ok(vec![1, 2]));
        assert_eq!(selected("join at quick::{closure}"), Ok(vec![1, 2]));
    }
}
