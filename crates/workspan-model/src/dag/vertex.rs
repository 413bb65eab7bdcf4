//! Vertices of the task dag.

use serde::{Deserialize, Serialize};

use super::StrandRegionId;

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
