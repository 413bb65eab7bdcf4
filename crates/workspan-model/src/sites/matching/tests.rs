use super::*;
use crate::{NodeId, Profile, Site, SiteId, SiteKind, example, site_rows};

/// The quicksort with additional joins in `merge`, at these lines of this file.
fn with_joins(file: &str, lines: &[u32]) -> Profile {
    let mut profile = example::quicksort();
    for &line in lines {
        let mut site = profile.sites[1].clone();
        let place = site.location.as_mut().unwrap();
        (place.file, place.line, place.column) = (file.to_owned(), line, 5);
        site.function = Some("quicksort::merge".to_owned());
        add(&mut profile, site, NodeId::ROOT);
    }
    profile
}

/// Adds a node of `site` below `parent`.
fn add(profile: &mut Profile, site: Site, parent: NodeId) -> NodeId {
    let mut node = profile.tree[1].clone();
    node.site = SiteId(profile.sites.len() as u32);
    node.parent = Some(parent);
    profile.sites.push(site);
    profile.tree.push(node);
    NodeId(profile.tree.len() as u32 - 1)
}

/// Lines of the joins in `merge`: before and after with whether they moved, lost, gained.
type Lines = (Vec<(u32, u32, bool)>, Vec<u32>, Vec<u32>);

fn matched(before: &Profile, after: &Profile) -> Lines {
    let (before, after) = (site_rows(before), site_rows(after));
    let matching = match_rows(&before, &after);
    let line = |row: &SiteRow| row.location.as_ref().map_or(0, |place| place.line);
    let pairs = matching.pairs.iter();
    let pairs = pairs.map(|pair| {
        let lines = [&before[pair.before], &after[pair.after]].map(line);
        (lines[0], lines[1], pair.is_moved)
    });
    let mut pairs: Vec<_> = pairs.filter(|(line, ..)| *line > 31).collect();
    pairs.sort_unstable();
    let lines = |rows: &[SiteRow], indices: &[usize]| {
        let mut lines: Vec<u32> = indices.iter().map(|&index| line(&rows[index])).collect();
        lines.sort_unstable();
        lines
    };
    let lost = lines(&before, &matching.lost);
    (pairs, lost, lines(&after, &matching.gained))
}

const FILE: &str = "examples/quicksort.rs";

#[test]
fn a_profile_matches_itself() {
    let profile = with_joins(FILE, &[50, 60]);
    let rows = site_rows(&profile);
    let matching = match_rows(&rows, &rows);
    assert_eq!(matching.pairs.len(), rows.len());
    for pair in &matching.pairs {
        assert_eq!((pair.before, pair.is_moved), (pair.after, false));
    }
    assert!(matching.lost.is_empty() && matching.gained.is_empty());
}

#[test]
fn moved_sites_of_one_function_match_in_their_order() {
    let before = with_joins(FILE, &[50, 60]);
    assert_eq!(
        matched(&before, &with_joins(FILE, &[51, 61])),
        (vec![(50, 51, true), (60, 61, true)], vec![], vec![])
    );
    assert_eq!(
        matched(&before, &with_joins(FILE, &[50, 55, 60])),
        (vec![(50, 50, false), (60, 60, false)], vec![], vec![55])
    );
    assert_eq!(
        matched(&before, &with_joins(FILE, &[58])),
        (vec![(50, 58, true)], vec![60], vec![])
    );
    assert_eq!(
        matched(&before, &with_joins("src/sort.rs", &[50, 60])),
        (vec![(50, 50, true), (60, 60, true)], vec![], vec![])
    );
}

#[test]
fn a_site_with_another_call_matches_only_without_a_better_one() {
    let mut before = with_joins(FILE, &[50]);
    let mut after = with_joins(FILE, &[51, 61]);
    before.sites[2].detail = Some("rayon::join_context".to_owned());
    after.sites[3].detail = Some("rayon::join_context".to_owned());
    assert_eq!(
        matched(&before, &after),
        (vec![(50, 61, true)], vec![], vec![51])
    );
    after.sites[3].kind = SiteKind::Scope;
    assert_eq!(
        matched(&before, &after),
        (vec![(50, 51, true)], vec![], vec![61])
    );
}

#[test]
fn sites_of_other_functions_do_not_match() {
    let before = with_joins(FILE, &[50]);
    let mut after = with_joins(FILE, &[51]);
    after.sites[2].function = Some("quicksort::split".to_owned());
    assert_eq!(matched(&before, &after), (vec![], vec![50], vec![51]));
    after.sites[2].function = None;
    assert_eq!(matched(&before, &after), (vec![], vec![50], vec![51]));
}
