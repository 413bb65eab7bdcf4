//! How threads enter constructs.

use crate::thread::Thread;
use crate::tree::construct::Construct;
use crate::tree::Edge;

impl Construct<'_> {
    /// Where the construct leads in the call tree from `node`.
    pub(super) fn enter(&self, thread: &Thread, node: u32) -> Edge {
        thread.enter_serial(node, self.key(), || self.site())
    }
}
