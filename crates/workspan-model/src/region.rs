//! Single instances of named regions.

use serde::{Deserialize, Serialize};

use crate::{Nanos, NodeId, Span, Work};

/// One execution of a region: all that Cilkview reports of a whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionInstance {
    /// The region's node of the call tree.
    pub node: NodeId,
    /// Which of the node's instances it is, from 0, in the order of their ends.
    pub number: u64,
    /// When it began, since the program's start.
    pub start: Nanos,
    /// Its work, with all that it waits for.
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
