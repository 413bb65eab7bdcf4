//! Which parts of one profile are which of another.
//!
//! Code moves between the profiles of before and after a change. So parts are the same where kind, name and place are; of those
//! left over, the ones that only stand elsewhere are told to have moved.

use std::collections::HashMap;
use std::hash::Hash;

use crate::site_row::{group_sites, row_key};
use crate::{Location, NodeId, Profile, Region, SiteRow};

/// Which parts of one profile are which of another, as indices into the two lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// Those found in both, in the order of the list of before.
    pub pairs: Vec<Match>,
    /// Those of before that are not found after.
    pub lost: Vec<usize>,
    /// Those of after that are not found before.
    pub gained: Vec<usize>,
}

/// A part that is found in both profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// Its index before.
    pub before: usize,
    /// Its index after.
    pub after: usize,
    /// Whether it stands at another place: it is taken for the same since all else is the same, and so is its order among
    /// those of which that is true.
    pub is_moved: bool,
}

/// Which sites of one program are which of another, or of the same at another time.
///
/// Sites are the same that agree in kind, name, file, line and column; or without a place in kind, name, function and what is
/// called there. Of those left over, sites of one kind and name that stand in one function are the same in the order in which
/// they stand: first those in the same file, in the same column and with the same call, then those in the same file, then
/// those in any.
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
    let name = |row: &SiteRow| (row.kind, row.name.clone(), row.function.clone());
    let mut matcher = Matcher::of(before, after, |row| row.location.as_ref());
    matcher.pair(false, |row| Some(row_key(row)));
    matcher.pair(true, |row| {
        let call = (column(row), row.detail.clone());
        row.function.as_ref()?;
        Some((name(row), file(row)?, call))
    });
    matcher.pair(true, |row| {
        row.function.as_ref()?;
        Some((name(row), file(row)?))
    });
    matcher.pair(true, |row| {
        row.function.as_ref()?;
        Some(name(row))
    });
    matcher.finish()
}

/// Which named regions of one program are which of another: those of one name at one place; of those left over, those of one
/// name in one function, in the order in which they stand, and then those of one name.
pub fn match_regions(before: &[Region], after: &[Region]) -> Matching {
    let mut matcher = Matcher::of(before, after, |region| region.location.as_ref());
    matcher.pair(false, |region| Some((&region.name, &region.location)));
    matcher.pair(true, |region| {
        Some((&region.name, region.function.as_ref()?))
    });
    matcher.pair(true, |region| Some(&region.name));
    matcher.finish()
}

/// Which nodes of the call tree of one profile are which of another: those of the same site ([`match_rows`]) below the same
/// node. The pairs say of a site that has moved so at each of its nodes.
///
/// # Panics
/// When a profile is not valid.
pub fn match_nodes(before: &Profile, after: &Profile) -> Matching {
    let (rows_before, row_before) = group_sites(&before.sites);
    let (rows_after, row_after) = group_sites(&after.sites);
    let rows = match_rows(&rows_before, &rows_after);
    // Rows of after by the numbers of before, where they have one.
    let known: HashMap<usize, Match> = rows.pairs.iter().map(|pair| (pair.after, *pair)).collect();
    let mut unmatched: HashMap<(NodeId, usize, bool), Vec<usize>> = HashMap::new();
    for (index, node) in before.tree.iter().enumerate().skip(1).rev() {
        let parent = node.parent.expect("every node but the root has a parent");
        let row = row_before[node.site.index()];
        let key = (parent, row, node.recursive);
        unmatched.entry(key).or_default().push(index);
    }
    let mut node_before = vec![None; after.tree.len()];
    let mut matching = Matching::default();
    let root = Match {
        before: 0,
        after: 0,
        is_moved: false,
    };
    matching.pairs.push(root);
    node_before[0] = Some(NodeId::ROOT);
    for (index, node) in after.tree.iter().enumerate().skip(1) {
        let parent = node.parent.and_then(|parent| node_before[parent.index()]);
        let row = known.get(&row_after[node.site.index()]);
        let found = parent.zip(row).and_then(|(parent, row)| {
            let same = unmatched.get_mut(&(parent, row.before, node.recursive))?;
            Some((same.pop()?, row.is_moved))
        });
        match found {
            Some((same, is_moved)) => {
                node_before[index] = u32::try_from(same).ok().map(NodeId);
                matching.pairs.push(Match {
                    before: same,
                    after: index,
                    is_moved,
                });
            }
            None => matching.gained.push(index),
        }
    }
    matching.lost = unmatched.into_values().flatten().collect();
    matching.lost.sort_unstable();
    matching.pairs.sort_unstable();
    matching
}

/// Two lists, of which more and more is paired.
struct Matcher<'a, T, P> {
    before: &'a [T],
    after: &'a [T],
    place: P,
    pairs: Vec<Match>,
    lost: Vec<usize>,
    gained: Vec<usize>,
}

impl<'a, T, P: Fn(&'a T) -> Option<&'a Location>> Matcher<'a, T, P> {
    fn of(before: &'a [T], after: &'a [T], place: P) -> Self {
        Self {
            before,
            after,
            place,
            pairs: Vec::new(),
            lost: (0..before.len()).collect(),
            gained: (0..after.len()).collect(),
        }
    }

    /// Pairs those of what is left that have the same key, in the order of their places. What has no key stays.
    fn pair<K: Eq + Hash>(&mut self, is_moved: bool, key: impl Fn(&'a T) -> Option<K>) {
        let place = |item: &'a T| (self.place)(item);
        self.lost.sort_by_key(|&index| place(&self.before[index]));
        self.gained.sort_by_key(|&index| place(&self.after[index]));
        let mut same: HashMap<K, Vec<usize>> = HashMap::new();
        for &index in self.gained.iter().rev() {
            if let Some(key) = key(&self.after[index]) {
                same.entry(key).or_default().push(index);
            }
        }
        let mut found = vec![false; self.after.len()];
        self.lost.retain(|&before| {
            let key = key(&self.before[before]);
            let after = key.and_then(|key| same.get_mut(&key)?.pop());
            if let Some(after) = after {
                found[after] = true;
                self.pairs.push(Match {
                    before,
                    after,
                    is_moved,
                });
            }
            after.is_none()
        });
        self.gained.retain(|&after| !found[after]);
    }

    fn finish(mut self) -> Matching {
        self.pairs.sort_unstable();
        self.lost.sort_unstable();
        self.gained.sort_unstable();
        Matching {
            pairs: self.pairs,
            lost: self.lost,
            gained: self.gained,
        }
    }
}

#[cfg(test)]
mod tests;
