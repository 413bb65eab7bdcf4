//! Where strands begin and end: sides of the constructs that nodes of the call tree stand for.

use workspan_model::{Boundary, Side, SiteId};

use crate::raw::program::RawProgram;
use crate::raw::{RawKind, RawNode, RawSite};

/// The sites and nodes that a record has told of so far.
#[derive(Default)]
pub(super) struct Places {
    pub(super) program: RawProgram,
    /// How deep each node lies in the call tree.
    depths: Vec<u32>,
}

impl Places {
    /// To be called after nodes were added.
    pub(super) fn measure_depths(&mut self) {
        for node in &self.program.nodes[self.depths.len()..] {
            let depth = node
                .parent
                .map_or(0, |parent| self.depths[parent as usize] + 1);
            self.depths.push(depth);
        }
    }

    /// Adds the root, if the record ended before it told of that.
    pub(super) fn add_root(&mut self) {
        if self.program.sites.is_empty() {
            self.program.sites.push(RawSite::of_root());
        }
        if self.program.nodes.is_empty() {
            self.program.nodes.push(RawNode::default());
        }
        self.measure_depths();
    }

    /// # Errors
    /// When there is no such node.
    pub(super) fn check(&self, node: u32) -> Result<(), String> {
        if (node as usize) < self.program.nodes.len() {
            Ok(())
        } else {
            Err(format!("there is no node {node} yet"))
        }
    }

    pub(super) fn kind(&self, node: u32) -> RawKind {
        self.program.sites[self.site(node) as usize].kind
    }

    fn site(&self, node: u32) -> u32 {
        self.program.nodes[node as usize].site
    }

    /// The node above, of the root itself.
    pub(super) fn above(&self, node: u32) -> u32 {
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

    /// Where a piece begins or ends that has the construct of `node` there.
    pub(super) fn construct(&self, node: u32) -> Boundary {
        match self.kind(node) {
            RawKind::Function | RawKind::Region | RawKind::Root => self.body(node),
            _ => self.outside(node),
        }
    }

    /// Where strands of two nodes meet: a function or a region was entered or left.
    pub(super) fn meeting(&self, one: u32, other: u32) -> Boundary {
        let depth = |node: u32| self.depths[node as usize];
        self.body(if depth(one) > depth(other) {
            one
        } else {
            other
        })
    }
}
