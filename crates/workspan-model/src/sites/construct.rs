//! What each construct runs, including the functions and regions in it.

use std::collections::BTreeMap;

use super::path::row_of_site;
use crate::{Nanos, NodeId, Profile, SiteRow, Span, Work};

/// What the strands of a row's sites ran, including those of the functions and regions that they
/// entered in place: everything up to the next construct within. Empty for a row of functions or
/// regions, since those count in the construct around them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Construct {
    /// The part that lies on the critical path.
    pub(crate) span: Span,
    /// All of it.
    pub(crate) work: Work,
    /// The part spent in voluntary waits.
    pub(crate) blocked: Nanos,
    /// The function or region that runs most of the span, as an index into the rows; `None` if the
    /// construct's own code does.
    pub(crate) longest_within: Option<usize>,
    /// The node of the row's own sites with the largest part of the span.
    pub(crate) longest_node: Option<NodeId>,
}

/// The construct of each of `rows`, which are those of `profile`.
pub(crate) fn constructs(profile: &Profile, rows: &[SiteRow]) -> Vec<Construct> {
    let row_of_node = rows_of_nodes(profile, rows);
    let mut construct_of_node = vec![0; profile.tree.len()];
    let mut constructs = vec![Construct::default(); rows.len()];
    let mut spans = vec![BTreeMap::<usize, Span>::new(); rows.len()];
    let mut longest = vec![None; rows.len()];
    for (index, node) in profile.tree.iter().enumerate() {
        construct_of_node[index] = match node.parent {
            Some(parent) if profile.site_of(node).kind.is_serial() => {
                construct_of_node[parent.index()]
            }
            _ => row_of_node[index],
        };
        let row = construct_of_node[index];
        let construct = &mut constructs[row];
        construct.span += node.on_span.local_span;
        construct.work += node.on_work.local_work;
        construct.blocked += node.on_work.blocked;
        *spans[row].entry(row_of_node[index]).or_default() += node.on_span.local_span;
        let is_own = row_of_node[index] == row;
        if is_own && longest[row].is_none_or(|span| node.on_span.local_span > span) {
            longest[row] = Some(node.on_span.local_span);
            construct.longest_node = Some(NodeId(index as u32));
        }
    }
    for (row, (construct, spans)) in constructs.iter_mut().zip(spans).enumerate() {
        let most = spans.into_iter().rev().max_by_key(|&(_, span)| span);
        construct.longest_within = most.map(|(within, _)| within).filter(|&most| most != row);
    }
    constructs
}

/// For each node, the row of its site.
pub(crate) fn rows_of_nodes(profile: &Profile, rows: &[SiteRow]) -> Vec<usize> {
    let row_of_site = row_of_site(profile, rows);
    let nodes = profile.tree.iter();
    nodes
        .map(|node| row_of_site[node.site.index()].unwrap_or(0))
        .collect()
}
