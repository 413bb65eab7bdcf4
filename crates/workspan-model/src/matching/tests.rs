use super::*;
use crate::{Site, SiteId, SiteKind, example, regions, site_rows};

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

fn region(name: &str, line: u32, function: &str) -> Site {
    Site {
        name: Some(name.to_owned()),
        location: Some(Location::new(FILE, line, 5)),
        function: Some(function.to_owned()),
        ..Site::unnamed(SiteKind::Region)
    }
}

#[test]
fn regions_match_by_name() {
    let with = |sites: &[Site]| {
        let mut profile = example::quicksort();
        for site in sites {
            add(&mut profile, site.clone(), NodeId::ROOT);
        }
        let mut found = regions(&profile);
        found.sort_by_key(|region| region.location.clone());
        found
    };
    let before = with(&[region("load", 10, "main"), region("sort", 20, "main")]);
    let after = with(&[
        region("sort", 12, "main"),
        region("load", 30, "read"),
        region("store", 40, "main"),
    ]);
    let matching = match_regions(&before, &after);
    let pair = |before, after| Match {
        before,
        after,
        is_moved: true,
    };
    assert_eq!(matching.pairs, [pair(0, 1), pair(1, 0)]);
    assert_eq!((matching.lost, matching.gained), (vec![], vec![2]));
}

/// main → (load → sort, sort → load): each site has two nodes.
#[test]
fn nodes_match_below_the_same_node() {
    let (load, sort) = (region("load", 10, "main"), region("sort", 20, "main"));
    let profile = |order: [&Site; 2], moved_by: u32| {
        let mut profile = example::quicksort();
        let [one, other] = order.map(|site| {
            let mut site = site.clone();
            site.location.as_mut().unwrap().line += moved_by;
            site
        });
        let above = add(&mut profile, one.clone(), NodeId::ROOT);
        add(&mut profile, other.clone(), above);
        let above = add(&mut profile, other, NodeId::ROOT);
        add(&mut profile, one, above);
        profile
    };
    let before = profile([&load, &sort], 0);
    let pairs = |after: &Profile| {
        let matching = match_nodes(&before, after);
        assert!(matching.gained.is_empty() && matching.lost.is_empty());
        let pairs = matching.pairs.iter();
        pairs.map(|pair| pair.after).collect::<Vec<_>>()
    };
    assert_eq!(pairs(&before), [0, 1, 2, 3, 4, 5]);
    assert_eq!(pairs(&profile([&sort, &load], 0)), [0, 1, 4, 5, 2, 3]);
    assert_eq!(pairs(&profile([&load, &sort], 3)), [0, 1, 2, 3, 4, 5]);
    let moved = match_nodes(&before, &profile([&load, &sort], 3));
    assert!(moved.pairs[2].is_moved && !moved.pairs[1].is_moved);

    let mut fewer = before.clone();
    fewer.tree.truncate(4);
    let matching = match_nodes(&before, &fewer);
    assert_eq!((matching.lost, matching.gained), (vec![4, 5], vec![]));
    assert_eq!(match_nodes(&fewer, &before).gained, [4, 5]);
}
