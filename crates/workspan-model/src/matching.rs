//! Matches the parts of one profile to those of another.
//!
//! Code moves between the profiles from before and after a change. So parts match if kind, name and
//! place agree; of the rest, those that only stand elsewhere match as moved.

use std::collections::HashMap;
use std::hash::Hash;

use crate::site_row::row_key;
use crate::site_rows::group_sites;
use crate::{Location, NodeId, Profile, Region, SiteRow};

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

/// Matches the named regions of one program to those of another: those of one name at one place; of
/// the rest, those of one name in one function, in their order, and then those of one name.
pub fn match_regions(before: &[Region], after: &[Region]) -> Matching {
    let mut matcher = Matcher::new(before, after, |region| region.location.as_ref());
    matcher.pair(false, |region| Some((&region.name, &region.location)));
    matcher.pair(true, |region| {
        Some((&region.name, region.function.as_ref()?))
    });
    matcher.pair(true, |region| Some(&region.name));
    matcher.finish()
}

/// Matches the nodes of the call trees of two profiles: those of the same site ([`match_rows`])
/// below the same node. If a site has moved, so have all of its nodes.
///
/// # Panics
/// If a profile is invalid.
pub fn match_nodes(before: &Profile, after: &Profile) -> Matching {
    let (rows_before, row_before) = group_sites(&before.sites);
    let (rows_after, row_after) = group_sites(&after.sites);
    let rows = match_rows(&rows_before, &rows_after);
    // The match of each row of `after` that has one.
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
