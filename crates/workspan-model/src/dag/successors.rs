//! Edges of the task dag.

use serde::{Deserialize, Serialize};

use super::VertexId;

/// The successors of each vertex, as lists in one piece of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Successors {
    /// Where the list of each vertex begins in `all`; after the last vertex, where its list ends.
    starts: Vec<u32>,
    all: Vec<Successor>,
}

/// An edge, from a vertex to one that comes later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Successor(u32);

impl Successor {
    const STEALABLE: u32 = 1 << 31;

    /// An edge to `to`.
    ///
    /// # Panics
    /// If the index of `to` is 2³¹ or more.
    pub fn new(to: VertexId, is_stealable: bool) -> Self {
        assert!(to.0 < Self::STEALABLE, "a dag has less than 2^31 vertices");
        Self(to.0 | if is_stealable { Self::STEALABLE } else { 0 })
    }

    /// The vertex that waits.
    pub const fn to(self) -> VertexId {
        VertexId(self.0 & !Self::STEALABLE)
    }

    /// Whether a thief can take it, so that it costs the burden.
    pub const fn is_stealable(self) -> bool {
        self.0 & Self::STEALABLE != 0
    }

    /// Its burden, if that of a stealable edge is `burden`.
    pub(crate) const fn burden(self, burden: i64) -> i64 {
        if self.is_stealable() { burden } else { 0 }
    }
}

impl Successors {
    /// The lists of `vertices` vertices, from edges `(from, successor)` in any order. The
    /// successors of one vertex keep the order that they have among the edges.
    ///
    /// # Panics
    /// If an edge comes from a vertex that does not exist, or there are 2³² edges or more.
    pub fn new(vertices: usize, edges: &[(VertexId, Successor)]) -> Self {
        let mut starts = vec![0_u32; vertices + 1];
        for (from, _) in edges {
            starts[from.index() + 1] += 1;
        }
        for vertex in 0..vertices {
            starts[vertex + 1] += starts[vertex];
        }
        let mut next = starts.clone();
        let mut all = vec![Successor(0); edges.len()];
        for (from, successor) in edges {
            let place = &mut next[from.index()];
            all[*place as usize] = *successor;
            *place += 1;
        }
        Self { starts, all }
    }

    /// The successors of `vertex`.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn of(&self, vertex: VertexId) -> &[Successor] {
        let [from, to] = [vertex.index(), vertex.index() + 1].map(|at| self.starts[at] as usize);
        &self.all[from..to]
    }

    /// How many vertices have lists.
    pub fn vertices(&self) -> usize {
        self.starts.len() - 1
    }

    /// All edges, in the order of the vertices that they come from.
    pub fn edges(&self) -> &[Successor] {
        &self.all
    }

    /// The number of edges that lead to each vertex.
    pub(super) fn in_degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0; self.vertices()];
        for successor in &self.all {
            degrees[successor.to().index()] += 1;
        }
        degrees
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successors_keep_their_order() {
        let edge =
            |from, to, is_stealable| (VertexId(from), Successor::new(VertexId(to), is_stealable));
        let edges = [
            edge(0, 2, false),
            edge(1, 3, false),
            edge(0, 1, true),
            edge(2, 3, false),
        ];
        let successors = Successors::new(4, &edges);
        let edges_from = |vertex| {
            let edges = successors.of(VertexId(vertex)).iter();
            edges
                .map(|edge| (edge.to().0, edge.is_stealable()))
                .collect::<Vec<_>>()
        };
        assert_eq!(edges_from(0), [(2, false), (1, true)]);
        assert_eq!(edges_from(1), [(3, false)]);
        assert_eq!(edges_from(3), []);
        assert_eq!(successors.edges().len(), 4);
    }
}
