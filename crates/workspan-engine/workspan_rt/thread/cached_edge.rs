//! Where a call leads, as far as a thread knows.

use crate::tree::Edge;

/// How many edges a thread keeps.
pub(super) const EDGES: usize = 512;

#[derive(Clone, Copy, Default)]
pub(super) struct CachedEdge {
    pub(super) node: u32,
    pub(super) call: u64,
    pub(super) edge: Edge,
    /// Where this call leads depends on the stack: look further.
    pub(super) by_stack: bool,
}
