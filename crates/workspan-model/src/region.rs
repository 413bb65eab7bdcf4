//! Single instances of named regions.

use serde::{Deserialize, Serialize};

use crate::{Nanos, NodeId, Span, Work};

/// One execution of a region: everything that Cilkview reports for a whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionInstance {
    /// The region's node of the call tree.
    pub node: NodeId,
    /// The number of this instance among those of the node, from 0, in the order in which they
    /// ended.
    pub number: u64,
    /// When it began, relative to the program's start.
    pub start: Nanos,
    /// Its work, including everything that it waits for.
    pub work: Work,
    /// Its span.
    pub span: Span,
    /// Its span with the burden added on every edge that can be stolen.
    pub burdened_span: Span,
    /// How far both spans may be off, on either side.
    pub open: Nanos,
    /// Tasks created in it.
    pub spawns: u64,
    /// Waits for tasks in it.
    pub syncs: u64,
}
