//! Vertices of the task dag.

use serde::{Deserialize, Serialize};

use crate::{Location, NodeId, Site, SiteId, SiteKind};

/// Index of a [`Vertex`] in [`Dag::vertices`](super::Dag::vertices).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VertexId(pub u32);

impl VertexId {
    /// The index, for slices.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A strand, or a subtree that was folded into one vertex. Times are in ticks. They may be slightly
/// negative, because the profiler's own cost is subtracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vertex {
    /// Time of all its strands.
    pub work: i64,
    /// Its longest path; for a strand, its work.
    pub span: i64,
    /// Its longest path with the burden on each stealable edge inside it.
    pub burdened_span: i64,
    /// Its code.
    pub region: StrandRegionId,
    /// Number of tasks created inside it; 0 for a strand.
    pub tasks: u32,
    /// Its kind.
    pub kind: VertexKind,
    /// The thread that ran it, numbered in order of first appearance.
    pub worker: u16,
    /// For a [`VertexKind::Sync`], the vertex that began the construct which ends here; for others,
    /// the vertex itself. Under rayon, which blocks in a sync, the worker that ran the beginning
    /// continues here.
    pub begun_by: VertexId,
}

named! {
    /// The kind of a [`Vertex`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum VertexKind {
        /// A strand that ends where the next vertex of its path begins. It may have no length.
        Strand = "strand",
        /// A strand that ends by creating tasks. Its worker continues with the first successor; the
        /// other successors are the tasks. For a `join`, the first successor is the left branch and
        /// the second one the right branch.
        Fork = "fork",
        /// A strand that ends by spawning tasks and then continues: its first successor is the
        /// continuation. Cilk would run the task first and offer the continuation to thieves.
        Spawn = "spawn",
        /// A strand that begins when everything that its construct waits for has ended.
        Sync = "sync",
        /// A whole subtree of less work than the grain, or several in a row. It may have more work
        /// than span.
        Folded = "folded",
    }
}

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

/// Index of a [`StrandRegion`] in [`Dag::regions`](super::Dag::regions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StrandRegionId(pub u32);

impl StrandRegionId {
    /// The index, for slices.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The code of a vertex: what runs at a node of the call tree from one strand boundary to another
/// (the region of a step node in TaskProf, dissertation §3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StrandRegion {
    /// The node at which it runs.
    pub node: NodeId,
    /// Where it begins.
    pub from: Boundary,
    /// Where it ends.
    pub to: Boundary,
}

/// A strand boundary: one side of a construct at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Boundary {
    /// The construct's site; the root for the beginning and the end of the program.
    pub site: SiteId,
    /// The side of the construct.
    pub side: Side,
}

named! {
    /// Where a strand boundary lies relative to its construct.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum Side {
        /// Before the construct if it ends a strand, after the construct if it begins one.
        Outside = "outside",
        /// At the beginning or the end of the left branch of a `join`.
        Left = "left",
        /// At the beginning or the end of the right branch of a `join`.
        Right = "right",
        /// At the beginning or the end of a scope's body, a task, a thread, a function, a region or the
        /// program.
        Body = "body",
    }
}

/// The location of a boundary. The body of a function lies where the function is defined.
pub(super) fn place_of(site: &Site, side: Side) -> Option<&Location> {
    match (site.kind, side) {
        (SiteKind::Function, Side::Body) => site.callee.as_ref().or(site.location.as_ref()),
        _ => site.location.as_ref(),
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
