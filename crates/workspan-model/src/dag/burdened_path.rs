//! Whose the longest burdened path is.

use super::{Dag, VertexId};
use crate::Span;

impl Dag {
    /// What each of `nodes` nodes of the call tree contributes to the longest path with the burden; all together it is the
    /// burdened span. The burden of an edge counts for the node of the task behind it, a folded subtree for the node at which
    /// it begins.
    ///
    /// # Panics
    /// When the dag is of a call tree of more nodes.
    pub fn burdened_path_by_node(&self, nodes: usize) -> Vec<Span> {
        let mut starts = vec![i64::MIN; self.vertices.len()];
        let mut before = vec![(VertexId(0), 0); self.vertices.len()];
        if let Some(first) = starts.first_mut() {
            *first = 0;
        }
        for (at, vertex) in self.vertices.iter().enumerate() {
            let id = VertexId(at as u32);
            let end = starts[at] + vertex.burdened_span;
            for successor in self.successors(id) {
                let burden = match successor.is_stealable() {
                    true => self.burden,
                    false => 0,
                };
                let to = successor.to().index();
                if end + burden > starts[to] {
                    starts[to] = end + burden;
                    before[to] = (id, burden);
                }
            }
        }
        let mut ticks = vec![0; nodes];
        let mut at = self.vertices.len();
        while let Some(last) = at.checked_sub(1) {
            let vertex = &self.vertices[last];
            let (previous, burden) = before[last];
            let node = self.regions[vertex.region.index()].node;
            ticks[node.index()] += vertex.burdened_span + burden;
            at = match last {
                0 => 0,
                _ => previous.index() + 1,
            };
        }
        let time = |ticks| self.time_of(ticks).into();
        ticks.into_iter().map(time).collect()
    }

    /// When each vertex could begin at the earliest, were there enough cores and no burden, in ticks from the program's start:
    /// as late as the longest path to it is long.
    pub fn earliest_starts(&self) -> Vec<i64> {
        let mut starts = Vec::new();
        self.walked(&mut starts, super::Vertex::clone, |_, _| ());
        starts.into_iter().map(|(start, _)| start).collect()
    }
}
