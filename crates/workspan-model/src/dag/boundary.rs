//! Stretches of code between two boundaries of strands.

use serde::{Deserialize, Serialize};

use crate::{NodeId, SiteId};

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

/// What a vertex is of: code that runs at a node of the call tree from one boundary of strands to another (the step
/// nodes' regions of TaskProf, dissertation §3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StrandRegion {
    /// The node at which it runs.
    pub node: NodeId,
    /// Where it begins.
    pub from: Boundary,
    /// Where it ends.
    pub to: Boundary,
}

/// A boundary of strands: a side of a construct at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Boundary {
    /// The construct's site; the root's for the beginning and the end of the program.
    pub site: SiteId,
    /// Where in or at the construct.
    pub side: Side,
}

/// Where a boundary lies, seen from its construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Side {
    /// Before it, as the end of a strand; behind it, as the beginning of one.
    Outside,
    /// At the beginning or the end of the left branch of a `join`.
    Left,
    /// At the beginning or the end of its right branch.
    Right,
    /// At the beginning or the end of a scope's body, a task, a thread, a function, a region, the program.
    Body,
}
