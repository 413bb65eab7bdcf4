//! The call tree as people read it: whole below each node, small branches folded.

use std::cmp::Reverse;

use crate::site_row::with_those_below;
use crate::tops::children;
use crate::{NodeId, Profile, Span, Work, parallelism};

/// A line of the call tree, in the order from the root down; the largest share of the span first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TreeLine {
    /// A node.
    Node(TreeNode),
    /// Nodes with the same parent that are too small to be told one by one, with all below them.
    Folded(FoldedNodes),
}

/// A node of the call tree, with all below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeNode {
    /// The node.
    pub node: NodeId,
    /// How many nodes are above it.
    pub depth: usize,
    /// Instances of the node's site.
    pub count: u64,
    /// Work at the node and below.
    pub work: Work,
    /// Sum of the spans of the node's top instances; `None` when there are none: all lie within outer instances of
    /// the same site, or none has finished.
    pub span: Option<Span>,
    /// `work / span`; `None` when there is no span to divide by.
    pub parallelism: Option<f64>,
    /// The work as a share of the program's.
    pub share_of_work: f64,
    /// What of the critical path lies at the node and below, as a share of it.
    pub share_of_span: f64,
}

/// Nodes that are left out, and all below them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoldedNodes {
    /// How many nodes are above each of them.
    pub depth: usize,
    /// How many they are, with those below them.
    pub nodes: usize,
    /// Work at them and below.
    pub work: Work,
    /// It, as a share of the program's.
    pub share_of_work: f64,
    /// What of the critical path lies at them and below, as a share of it.
    pub share_of_span: f64,
}

/// The call tree of `profile`. Nodes with less than `threshold` of the work and less than that of the span, from 0 to
/// 1, are folded.
///
/// # Panics
/// When the profile is not valid.
pub fn call_tree(profile: &Profile, threshold: f64) -> Vec<TreeLine> {
    let view = View {
        profile,
        work: with_those_below(profile, |node| node.on_work.local_work),
        on_span: with_those_below(profile, |node| node.on_span.local_span),
        nodes: with_those_below(profile, |_| 1),
    };
    let children = children(profile);
    let mut lines = Vec::new();
    let mut steps = vec![TreeLine::Node(view.node(NodeId::ROOT, 0))];
    while let Some(line) = steps.pop() {
        lines.push(line);
        let TreeLine::Node(parent) = line else {
            continue;
        };
        let below = children[parent.node.index()].iter();
        let below = below.map(|&child| view.node(child, parent.depth + 1));
        let (mut shown, folded): (Vec<TreeNode>, Vec<TreeNode>) = below
            .partition(|node| node.share_of_span >= threshold || node.share_of_work >= threshold);
        // The steps are taken from the end.
        steps.extend(view.folded(&folded).map(TreeLine::Folded));
        shown.sort_by_key(|node| {
            (
                view.on_span[node.node.index()],
                node.work,
                Reverse(node.node),
            )
        });
        steps.extend(shown.into_iter().map(TreeLine::Node));
    }
    lines
}

/// Sums over each node and those below it.
struct View<'a> {
    profile: &'a Profile,
    work: Vec<Work>,
    on_span: Vec<Span>,
    nodes: Vec<usize>,
}

impl View<'_> {
    fn node(&self, id: NodeId, depth: usize) -> TreeNode {
        let node = &self.profile.tree[id.index()];
        let work = self.work[id.index()];
        let (count, span) = if id == NodeId::ROOT {
            (1, Some(self.profile.span))
        } else {
            let finished = node.on_work.top_count > 0;
            let span = finished.then_some(node.on_work.top_span);
            (node.on_work.count, span)
        };
        TreeNode {
            node: id,
            depth,
            count,
            work,
            span,
            parallelism: span.and_then(|span| parallelism(work, span)),
            share_of_work: self.share_of_work(work),
            share_of_span: self.share_of_span(self.on_span[id.index()]),
        }
    }

    /// `nodes` as one, if there are any.
    fn folded(&self, nodes: &[TreeNode]) -> Option<FoldedNodes> {
        let work = nodes.iter().map(|node| node.work).sum();
        let on_span = nodes.iter().map(|node| self.on_span[node.node.index()]);
        Some(FoldedNodes {
            depth: nodes.first()?.depth,
            nodes: nodes.iter().map(|node| self.nodes[node.node.index()]).sum(),
            work,
            share_of_work: self.share_of_work(work),
            share_of_span: self.share_of_span(on_span.sum()),
        })
    }

    fn share_of_work(&self, work: Work) -> f64 {
        work.time().share_of(self.work[NodeId::ROOT.index()].time())
    }

    fn share_of_span(&self, span: Span) -> f64 {
        span.time().share_of(self.profile.span.time())
    }
}

#[cfg(test)]
mod tests;
