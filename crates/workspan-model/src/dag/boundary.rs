//! Strand boundaries, and the regions of code between them.

use serde::{Deserialize, Serialize};

use crate::{Location, NodeId, Site, SiteId, SiteKind};

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
