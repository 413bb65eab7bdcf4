//! The longest burdened path, by node of the call tree.

use super::critical_path::Longest;
use super::{Dag, Successor, Vertex, VertexId};
use crate::Span;

impl Dag {
    /// The time that each of the `nodes` nodes of the call tree contributes to the longest burdened
    /// path. The times add up to the burdened span. The burden of an edge counts for the node of
    /// the task behind it, and a folded subtree for the node at which it begins.
    ///
    /// # Panics
    /// If the dag belongs to a call tree of more nodes.
    pub fn burdened_path_by_node(&self, nodes: usize) -> Vec<Span> {
        let mut before = vec![(VertexId(0), 0); self.vertices.len()];
        let on_longer = |which: Longest, from: VertexId, successor: Successor| {
            if which == Longest::Burdened {
                before[successor.to().index()] = (from, successor.burden(self.burden));
            }
        };
        let whole = 0..self.vertices.len();
        self.walk(whole, &mut Vec::new(), Vertex::clone, on_longer);
        let mut ticks = vec![0; nodes];
        let mut next = self.vertices.len().checked_sub(1);
        while let Some(at) = next {
            let vertex = &self.vertices[at];
            let (previous, burden) = before[at];
            let node = self.regions[vertex.region.index()].node;
            ticks[node.index()] += vertex.burdened_span + burden;
            next = (at > 0).then(|| previous.index());
        }
        let time = |ticks| self.time_of(ticks).into();
        ticks.into_iter().map(time).collect()
    }

    /// The earliest time at which each vertex can begin with enough cores and no burden, in ticks
    /// from the program's start. It is the length of the longest path to the vertex.
    pub fn earliest_starts(&self) -> Vec<i64> {
        let mut starts = Vec::new();
        self.totals_with(&mut starts, Vertex::clone);
        starts.into_iter().map(|(start, _)| start).collect()
    }
}
