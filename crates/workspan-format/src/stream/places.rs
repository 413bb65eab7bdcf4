//! Boundaries of strands: the sides of the constructs that nodes of the call tree stand for.

use workspan_model::{Boundary, Side, SiteId, SiteKind};

use crate::raw::program::RawProgram;
use crate::raw::{RawNode, RawSite};

/// The sites and nodes read so far.
#[derive(Default)]
pub(super) struct Places {
    pub(super) program: RawProgram,
    /// The depth of each node in the call tree; 0 for the root.
    depths: Vec<u32>,
}

impl Places {
    /// Computes the depths of nodes added since the last call.
    pub(super) fn update_depths(&mut self) {
        for node in &self.program.nodes[self.depths.len()..] {
            let depth = node
                .parent
                .map_or(0, |parent| self.depths[parent as usize] + 1);
            self.depths.push(depth);
        }
    }

    /// Adds the root, if the record ended before it.
    pub(super) fn add_root(&mut self) {
        if self.program.sites.is_empty() {
            self.program.sites.push(RawSite::new(SiteKind::Root));
        }
        if self.program.nodes.is_empty() {
            self.program.nodes.push(RawNode::default());
        }
        self.update_depths();
    }

    /// # Errors
    /// When node `node` has not been read.
    pub(super) fn check(&self, node: u32) -> Result<(), String> {
        if (node as usize) < self.program.nodes.len() {
            Ok(())
        } else {
            Err(format!("there is no node {node} yet"))
        }
    }

    pub(super) fn kind(&self, node: u32) -> SiteKind {
        self.program.sites[self.site(node) as usize].kind
    }

    fn site(&self, node: u32) -> u32 {
        self.program.nodes[node as usize].site
    }

    /// The parent of `node`; of the root, the root.
    pub(super) fn parent(&self, node: u32) -> u32 {
        self.program.nodes[node as usize].parent.unwrap_or(0)
    }

    fn at(&self, node: u32, side: Side) -> Boundary {
        Boundary {
            site: SiteId(self.site(node)),
            side,
        }
    }

    /// Before or behind the construct of `node`.
    pub(super) fn outside(&self, node: u32) -> Boundary {
        self.at(node, Side::Outside)
    }

    pub(super) fn left(&self, node: u32) -> Boundary {
        self.at(node, Side::Left)
    }

    pub(super) fn right(&self, node: u32) -> Boundary {
        self.at(node, Side::Right)
    }

    pub(super) fn body(&self, node: u32) -> Boundary {
        self.at(node, Side::Body)
    }

    /// Where a piece begins or ends whose first or last part is the construct of `node`.
    pub(super) fn construct(&self, node: u32) -> Boundary {
        match self.kind(node) {
            SiteKind::Function | SiteKind::Region | SiteKind::Root => self.body(node),
            _ => self.outside(node),
        }
    }

    /// Where strands of two nodes meet: at the beginning or end of a function or region, that of
    /// the deeper node.
    pub(super) fn meeting(&self, one: u32, other: u32) -> Boundary {
        let depth = |node: u32| self.depths[node as usize];
        self.body(if depth(one) > depth(other) {
            one
        } else {
            other
        })
    }
}
