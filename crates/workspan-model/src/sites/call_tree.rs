//! The call tree for a reader: each node with everything below it, and small branches folded.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::rows::{group_sites, subtree_sums};
use super::top_instances::children;
use crate::{NodeId, Profile, Span, Work, parallelism};

/// A line of the call tree: nodes with everything below them. Lines go from the root down, the
/// largest share of the span first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeLine {
    /// How many nodes are above.
    pub depth: usize,
    /// Work at the nodes and below them.
    pub work: Work,
    /// `work` as a share of the program's.
    pub share_of_work: f64,
    /// The part of the critical path at the nodes and below them, as a share of the path.
    pub share_of_span: f64,
    /// Which nodes they are.
    pub nodes: TreeNodes,
}

/// The nodes of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TreeNodes {
    /// One, or several whose sites share a row, as copies of inlined code do.
    Shown(TreeNode),
    /// This many with those below them, which have the same parent and are too small for lines of
    /// their own.
    Folded(usize),
}

/// A node of the call tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeNode {
    /// The node, or the first of several.
    pub node: NodeId,
    /// Whether all instances are inside others of the same site.
    pub recursive: bool,
    /// Instances of the node's site.
    pub count: u64,
    /// Sum of the spans of the node's top instances. `None` if there are none: all are inside outer
    /// instances of the same site, or none has finished.
    pub span: Option<Span>,
    /// The work over `span`; `None` if there is no span to divide by.
    pub parallelism: Option<f64>,
}

impl TreeLine {
    /// The node; `None` for folded ones.
    pub const fn shown(&self) -> Option<&TreeNode> {
        match &self.nodes {
            TreeNodes::Shown(node) => Some(node),
            TreeNodes::Folded(_) => None,
        }
    }
}

/// The call tree of `profile`. Nodes are folded if both their share of the work and their share of
/// the span are less than `threshold`, from 0 to 1.
///
/// # Panics
/// If the profile is invalid.
pub fn call_tree(profile: &Profile, threshold: f64) -> Vec<TreeLine> {
    let view = View {
        profile,
        work: subtree_sums(profile, |node| node.on_work.local_work),
        on_span: subtree_sums(profile, |node| node.on_span.local_span),
        nodes: subtree_sums(profile, |_| 1),
    };
    let (_, row_of_site) = group_sites(&profile.sites);
    let children = children(profile);
    let mut lines = Vec::new();
    let mut steps = vec![Step::Node(view.node(vec![NodeId::ROOT], 0))];
    while let Some(step) = steps.pop() {
        let parent = match step {
            Step::Node(parent) => parent,
            Step::Folded(folded) => {
                lines.push(folded);
                continue;
            }
        };
        lines.push(parent.line);
        let mut below: BTreeMap<usize, Vec<NodeId>> = BTreeMap::new();
        for &child in parent.nodes.iter().flat_map(|node| &children[node.index()]) {
            let site = profile.tree[child.index()].site;
            below
                .entry(row_of_site[site.index()])
                .or_default()
                .push(child);
        }
        let below = below.into_values();
        let below = below.map(|nodes| view.node(nodes, parent.line.depth + 1));
        let (mut shown, folded): (Vec<Nodes>, Vec<Nodes>) = below.partition(|nodes| {
            nodes.line.share_of_span >= threshold || nodes.line.share_of_work >= threshold
        });
        // Steps are popped from the end, so the folded nodes come last.
        steps.extend(view.folded(&folded).map(Step::Folded));
        shown.sort_by_key(|nodes| (nodes.on_span, nodes.line.work, Reverse(nodes.nodes[0])));
        steps.extend(shown.into_iter().map(Step::Node));
    }
    lines
}

/// A line that is still to be written.
enum Step {
    Node(Nodes),
    Folded(TreeLine),
}

/// Nodes with the same parents whose sites share a row.
struct Nodes {
    nodes: Vec<NodeId>,
    line: TreeLine,
    on_span: Span,
}

/// Sums over each node and those below it.
struct View<'a> {
    profile: &'a Profile,
    work: Vec<Work>,
    on_span: Vec<Span>,
    nodes: Vec<usize>,
}

impl View<'_> {
    /// The line of `nodes`, of which there is at least one.
    fn node(&self, nodes: Vec<NodeId>, depth: usize) -> Nodes {
        let each = || nodes.iter().map(|node| &self.profile.tree[node.index()]);
        let work = nodes.iter().map(|node| self.work[node.index()]).sum();
        let on_span = nodes.iter().map(|node| self.on_span[node.index()]).sum();
        let (count, span) = if nodes[0] == NodeId::ROOT {
            (1, Some(self.profile.span))
        } else {
            let finished = each().any(|node| node.on_work.top_count > 0);
            let span = finished.then(|| each().map(|node| node.on_work.top_span).sum());
            let counts = each().map(|node| node.on_work.count);
            (counts.fold(0, u64::saturating_add), span)
        };
        let shown = TreeNode {
            node: nodes[0],
            recursive: each().all(|node| node.recursive),
            count,
            span,
            parallelism: span.and_then(|span| parallelism(work, span)),
        };
        Nodes {
            line: self.line(depth, work, on_span, TreeNodes::Shown(shown)),
            nodes,
            on_span,
        }
    }

    /// The line of `nodes` if they are folded, and there are any.
    fn folded(&self, nodes: &[Nodes]) -> Option<TreeLine> {
        let depth = nodes.first()?.line.depth;
        let work = nodes.iter().map(|nodes| nodes.line.work).sum();
        let on_span = nodes.iter().map(|nodes| nodes.on_span).sum();
        let each = nodes.iter().flat_map(|nodes| &nodes.nodes);
        let count = each.map(|node| self.nodes[node.index()]).sum();
        Some(self.line(depth, work, on_span, TreeNodes::Folded(count)))
    }

    fn line(&self, depth: usize, work: Work, on_span: Span, nodes: TreeNodes) -> TreeLine {
        TreeLine {
            depth,
            work,
            share_of_work: work.time().share_of(self.work[NodeId::ROOT.index()].time()),
            share_of_span: on_span.time().share_of(self.profile.span.time()),
            nodes,
        }
    }
}

#[cfg(test)]
mod tests;
