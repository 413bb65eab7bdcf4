//! What each construct runs, the functions and regions that run in it counted with it.

use std::collections::BTreeMap;

use crate::{Nanos, NodeId, Profile, SiteRow, Span, Work};

/// What the strands of a row's sites ran, with those of the functions and regions that these entered in place: all
/// that runs there up to the next construct within. Of a row of functions or regions nothing, since it counts elsewhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Construct {
    /// The part that lies on the critical path.
    pub(crate) span: Span,
    /// All of it.
    pub(crate) work: Work,
    /// The part in which strands waited of their own will.
    pub(crate) blocked: Nanos,
    /// The function or region that runs most of the span, as an index into the rows; `None` if it is the construct itself.
    pub(crate) longest_within: Option<usize>,
    /// The node with the most of the span.
    pub(crate) longest_node: Option<NodeId>,
}

/// Of each of `rows`, its construct. The rows are those of `profile`.
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

/// Of each node, the row of its site.
pub(crate) fn rows_of_nodes(profile: &Profile, rows: &[SiteRow]) -> Vec<usize> {
    let mut row_of_site = vec![0; profile.sites.len()];
    for (index, row) in rows.iter().enumerate() {
        for site in &row.sites {
            row_of_site[site.index()] = index;
        }
    }
    let nodes = profile.tree.iter();
    nodes.map(|node| row_of_site[node.site.index()]).collect()
}
