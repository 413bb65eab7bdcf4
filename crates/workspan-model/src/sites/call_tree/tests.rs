use super::*;
use crate::{Node, OnWork, SiteId, example};

/// The quicksort with additional nodes below its join, each of another site and with one of these
/// works. None is on the critical path.
fn with_below(below: &[i64]) -> Profile {
    let mut profile = example::quicksort();
    for &nanos in below {
        let mut node = of_another_site(&mut profile);
        node.parent = Some(NodeId(1));
        node.recursive = true;
        node.on_work = OnWork {
            local_work: Work::from_nanos(nanos),
            count: 3,
            ..OnWork::default()
        };
        node.on_span = Default::default();
        node.path.clear();
        profile.tree.push(node);
    }
    profile
}

/// The node of the join, but of a new site.
fn of_another_site(profile: &mut Profile) -> Node {
    let mut node = profile.tree[1].clone();
    let mut site = profile.site_of(&node).clone();
    node.site = SiteId(profile.sites.len() as u32);
    site.location.as_mut().unwrap().line += node.site.0;
    profile.sites.push(site);
    node
}

fn nodes(lines: &[TreeLine]) -> Vec<(u32, usize)> {
    let nodes = lines
        .iter()
        .filter_map(|line| Some((line.shown()?.node.0, line.depth)));
    nodes.collect()
}

#[test]
fn lines_go_down_from_the_root_the_longest_first() {
    let mut profile = with_below(&[1_000_000, 3_000_000]);
    // A sibling of the join with more of the span.
    let mut first = of_another_site(&mut profile);
    first.on_span.local_span = Span::from_nanos(90_000_000);
    profile.tree.push(first);
    let lines = call_tree(&profile, 0.0);
    assert_eq!(nodes(&lines), [(0, 0), (4, 1), (1, 1), (3, 2), (2, 2)]);
}

#[test]
fn nodes_include_everything_below_them() {
    let lines = call_tree(&with_below(&[11_400_000]), 0.0);
    assert_eq!(lines[0].work, Work::from_nanos(1_071_400_000));
    assert_eq!((lines[0].share_of_work, lines[0].share_of_span), (1.0, 1.0));
    assert_eq!(lines[1].work, Work::from_nanos(1_050_000_000));
    assert!((lines[1].share_of_span - 0.782).abs() < 1e-3);
    let shown: Vec<&TreeNode> = lines.iter().filter_map(TreeLine::shown).collect();
    let [root, join, inner] = shown[..] else {
        panic!("{lines:?}");
    };
    assert_eq!(root.span, Some(Span::from_nanos(98_000_000)));
    assert_eq!(join.span, Some(Span::from_nanos(76_600_000)));
    assert!((join.parallelism.unwrap() - 1_050.0 / 76.6).abs() < 1e-9);
    assert_eq!(
        (inner.count, inner.span, inner.parallelism),
        (3, None, None)
    );
}

#[test]
fn small_branches_are_folded_into_one_line() {
    let profile = with_below(&[1_000_000, 100_000_000, 2_000_000]);
    let lines = call_tree(&profile, 0.01);
    assert_eq!(nodes(&lines), [(0, 0), (1, 1), (3, 2)]);
    let folded = lines.last().unwrap();
    assert_eq!((folded.depth, folded.nodes), (2, TreeNodes::Folded(2)));
    assert_eq!(folded.work, Work::from_nanos(3_000_000));
    assert!((folded.share_of_work - 3.0 / 1_163.0).abs() < 1e-9);
    assert_eq!(folded.share_of_span, 0.0);
}

#[test]
fn sites_that_share_a_row_below_the_same_node_are_one_line() {
    let mut profile = with_below(&[1_000_000]);
    let mut copy = profile.tree[1].clone();
    copy.site = SiteId(profile.sites.len() as u32);
    profile.sites.push(profile.sites[1].clone());
    profile.tree.push(copy);
    let mut inner = profile.tree[2].clone();
    inner.parent = Some(NodeId(3));
    profile.tree.push(inner);
    let lines = call_tree(&profile, 0.0);
    assert_eq!(nodes(&lines), [(0, 0), (1, 1), (2, 2)]);
    let [join, inner] = [1, 2].map(|line| lines[line].shown().unwrap());
    assert_eq!(join.count, 2 * profile.tree[1].on_work.count);
    assert_eq!(join.span, Some(Span::from_nanos(2 * 76_600_000)));
    assert_eq!(inner.count, 6);
    assert!(inner.recursive && !join.recursive);
}
