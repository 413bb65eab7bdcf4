//! Matches the parts of one profile to those of another.
//!
//! Code moves between the profiles from before and after a change. So parts match if kind, name and
//! place agree; of the rest, those that only stand elsewhere match as moved.

use std::collections::HashMap;
use std::hash::Hash;

use crate::profile::site_row::row_key;
use crate::{Location, SiteRow};

/// Which parts of one profile match which of another, as indices into the two lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// Those in both, in the order of the list from before.
    pub pairs: Vec<Match>,
    /// Those from before that are not found after.
    pub lost: Vec<usize>,
    /// Those from after that are not found before.
    pub gained: Vec<usize>,
}

/// A part that is found in both profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// Its index before.
    pub before: usize,
    /// Its index after.
    pub after: usize,
    /// Whether it is at another place: it is taken for the same because everything else agrees, and
    /// so does its order among the parts that agree like that.
    pub is_moved: bool,
}

/// Matches the sites of one program to those of another, or of the same one at another time.
///
/// Sites match if kind, name, file, line and column agree; without a place, if kind, name, function
/// and what is called there agree. Of the rest, sites of one kind and name in one function match in
/// their order: first those in the same file, in the same column and with the same call, then those
/// in the same file, then those in any file.
///
/// ```
/// use workspan_model::{example, match_rows, site_rows};
///
/// let before = site_rows(&example::quicksort());
/// let mut after = before.clone();
/// for row in &mut after {
///     if let Some(place) = &mut row.location {
///         place.line += 5;
///     }
/// }
/// let moved = match_rows(&before, &after).pairs.into_iter().filter(|pair| pair.is_moved);
/// assert_eq!(moved.count(), 1);
/// ```
pub fn match_rows(before: &[SiteRow], after: &[SiteRow]) -> Matching {
    let file = |row: &SiteRow| row.location.as_ref().map(|place| place.file.clone());
    let column = |row: &SiteRow| row.location.as_ref().map(|place| place.column);
    let identity = |row: &SiteRow| (row.kind, row.name.clone(), row.function.clone());
    let mut matcher = Matcher::new(before, after, |row| row.location.as_ref());
    matcher.pair(false, |row| Some(row_key(row)));
    matcher.pair(true, |row| {
        let call = (column(row), row.detail.clone());
        row.function.as_ref()?;
        Some((identity(row), file(row)?, call))
    });
    matcher.pair(true, |row| {
        row.function.as_ref()?;
        Some((identity(row), file(row)?))
    });
    matcher.pair(true, |row| {
        row.function.as_ref()?;
        Some(identity(row))
    });
    matcher.finish()
}

/// Two lists whose items are paired step by step.
pub(crate) struct Matcher<'a, T, P> {
    before: &'a [T],
    after: &'a [T],
    place: P,
    matching: Matching,
}

impl<'a, T, P: Fn(&'a T) -> Option<&'a Location>> Matcher<'a, T, P> {
    pub(crate) fn new(before: &'a [T], after: &'a [T], place: P) -> Self {
        Self {
            before,
            after,
            place,
            matching: Matching {
                pairs: Vec::new(),
                lost: (0..before.len()).collect(),
                gained: (0..after.len()).collect(),
            },
        }
    }

    /// Pairs the remaining items with the same key, in the order of their places. Items without a
    /// key remain.
    pub(crate) fn pair<K: Eq + Hash>(&mut self, is_moved: bool, key: impl Fn(&'a T) -> Option<K>) {
        let place = |item: &'a T| (self.place)(item);
        let Matching {
            pairs,
            lost,
            gained,
        } = &mut self.matching;
        lost.sort_by_key(|&index| place(&self.before[index]));
        gained.sort_by_key(|&index| place(&self.after[index]));
        let mut same: HashMap<K, Vec<usize>> = HashMap::new();
        for &index in gained.iter().rev() {
            if let Some(key) = key(&self.after[index]) {
                same.entry(key).or_default().push(index);
            }
        }
        let mut found = vec![false; self.after.len()];
        lost.retain(|&before| {
            let key = key(&self.before[before]);
            let after = key.and_then(|key| same.get_mut(&key)?.pop());
            if let Some(after) = after {
                found[after] = true;
                pairs.push(Match {
                    before,
                    after,
                    is_moved,
                });
            }
            after.is_none()
        });
        gained.retain(|&after| !found[after]);
    }

    pub(crate) fn finish(mut self) -> Matching {
        self.matching.pairs.sort_unstable();
        self.matching.lost.sort_unstable();
        self.matching.gained.sort_unstable();
        self.matching
    }
}

#[cfg(test)]
mod tests;
