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

/// A strand, or a subtree that was folded into one vertex. Times are in ticks, and may fall a little below zero, since the
/// profiler's own cost is taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vertex {
    /// Time of all its strands.
    pub work: i64,
    /// Its longest path. Of a strand: its work.
    pub span: i64,
    /// The same with the burden on each stealable edge within.
    pub burdened_span: i64,
    /// The code that it is of.
    pub region: StrandRegionId,
    /// Tasks created within it. Of a strand: 0.
    pub tasks: u32,
    /// What it is.
    pub kind: VertexKind,
    /// The thread that ran it, numbered in the order of first appearance.
    pub worker: u16,
    /// Of a [`VertexKind::Sync`]: the vertex that began the construct which ends here. Whoever ran that goes on here
    /// under rayon, which blocks in a sync. Of others: itself.
    pub begun_by: VertexId,
}

impl VertexKind {
    /// The name that files and reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strand => "strand",
            Self::Fork => "fork",
            Self::Spawn => "spawn",
            Self::Sync => "sync",
            Self::Folded => "folded",
        }
    }
}

/// What a [`Vertex`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum VertexKind {
    /// A strand, which ends where the next vertex of its path begins. May be of no length.
    Strand,
    /// A strand that ends by making tasks: its first successor is what its worker goes on with, the others are the tasks.
    /// For a `join` the first successor is the left branch, the second the right one.
    Fork,
    /// A strand that ends by spawning tasks and then goes on itself: its first successor is the continuation. Cilk would
    /// run the task first and offer the continuation to thieves.
    Spawn,
    /// A strand that begins when everything that its construct waits for has ended.
    Sync,
    /// A whole subtree of less work than the grain, or several in a row: may hold more work than span.
    Folded,
}
