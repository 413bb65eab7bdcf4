//! Where calls lead in the call tree: what this thread remembers, and how it asks the tree.

use super::cached_edge::{CachedEdge, EDGES};
use super::Thread;
use crate::stack;
use crate::state::settings;
use crate::tree::call::Call;
use crate::tree::{self, Edge};
use std::ptr;

impl Thread {
    /// Where `call`, made at `node`, leads in the call tree.
    #[inline(always)]
    pub(crate) fn enter(&self, node: u32, call: &Call) -> Edge {
        let slot = &self.edges[slot(node, call.key)];
        let cached = slot.get();
        if cached.call == call.key
            && cached.node == node
            && !cached.by_stack
            && self.epoch.get() == settings::epoch()
        {
            return cached.edge;
        }
        self.enter_slowly(node, call)
    }

    /// Where every `call` made at `node` leads, if this thread knows that without looking at the
    /// stack.
    pub(crate) fn known_edge(&self, node: u32, call: &Call) -> Option<Edge> {
        self.knows_edge(node, call.key)
            .then(|| self.edges[slot(node, call.key)].get().edge)
    }

    /// Whether this thread knows where every call of `key` made at `node` leads.
    pub(crate) fn knows_edge(&self, node: u32, key: u64) -> bool {
        let cached = self.edges[slot(node, key)].get();
        cached.call == key
            && cached.node == node
            && !cached.by_stack
            && self.epoch.get() == settings::epoch()
    }

    /// Where entering the serial site of `key` from `node` leads; `make` describes the site if it
    /// is new.
    #[inline]
    pub(crate) fn enter_serial(
        &self,
        node: u32,
        key: u64,
        make: impl FnOnce() -> tree::Site,
    ) -> Edge {
        let slot = slot(node, key);
        let is_known = |cached: &CachedEdge| cached.call == key && cached.node == node;
        // If two share a slot, one of them is in the neighbouring slot.
        let (slot, beside) = (&self.edges[slot], &self.edges[slot ^ 1]);
        if self.epoch.get() == settings::epoch() {
            let cached = slot.get();
            if is_known(&cached) {
                return cached.edge;
            }
            let cached = beside.get();
            if is_known(&cached) {
                return cached.edge;
            }
        }
        self.lookups.add(1);
        self.refresh();
        let edge = if self.is_aside.get() {
            edge_aside(node)
        } else {
            tree::lock().enter_serial(node, key, make)
        };
        beside.set(slot.get());
        slot.set(CachedEdge {
            node,
            call: key,
            edge,
            by_stack: false,
        });
        self.begin_strand_here();
        edge
    }

    /// Looks the edge up in the tree that all threads share. The time for that is not part of the
    /// next strand.
    #[inline(never)]
    fn enter_slowly(&self, node: u32, call: &Call) -> Edge {
        self.lookups.add(1);
        let edge = self.look_up(node, call);
        self.begin_strand_here();
        edge
    }

    fn look_up(&self, node: u32, call: &Call) -> Edge {
        self.refresh();
        if self.is_aside.get() {
            let edge = edge_aside(node);
            self.edges[slot(node, call.key)].set(CachedEdge {
                node,
                call: call.key,
                edge,
                by_stack: false,
            });
            return edge;
        }
        let slot_of_call = &self.edges[slot(node, call.key)];
        let cached = slot_of_call.get();
        let known = cached.call == call.key && cached.node == node;
        let by_stack = if known {
            cached.by_stack
        } else {
            tree::lock().needs_stack(node, call)
        };
        if !by_stack {
            let base = self.base();
            let edge = tree::lock().enter(node, call, 0, || stack::here(base));
            slot_of_call.set(CachedEdge {
                node,
                call: call.key,
                edge,
                by_stack,
            });
            return edge;
        }
        slot_of_call.set(CachedEdge {
            node,
            call: call.key,
            edge: Edge::default(),
            by_stack,
        });
        let base = self.base();
        let stack_key = stack::key(base);
        let key = call.key ^ stack_key;
        // A slot of its own. The call's only says that the stack is needed.
        let slot = &self.edges[slot(node, key) ^ 1];
        let cached = slot.get();
        if cached.call == key && cached.node == node && !ptr::eq(slot, slot_of_call) {
            return cached.edge;
        }
        let edge = tree::lock().enter(node, call, stack_key, || stack::here(base));
        if !ptr::eq(slot, slot_of_call) {
            slot.set(CachedEdge {
                node,
                call: key,
                edge,
                by_stack: false,
            });
        }
        edge
    }
}

/// Two nodes for constructs whose own cost is measured ([`crate::session::calibration`]).
pub(crate) const ASIDE: [u32; 2] = [tree::ROOT + 1, tree::ROOT + 2];

/// Where such a construct leads: from the root nowhere, from one of the two nodes to the other.
fn edge_aside(node: u32) -> Edge {
    let to = match ASIDE.iter().position(|aside| *aside == node) {
        Some(which) => ASIDE[1 - which],
        None => node,
    };
    Edge {
        node: to,
        top: false,
    }
}

#[inline(always)]
fn slot(node: u32, call: u64) -> usize {
    ((call ^ u64::from(node).wrapping_mul(0x9E37_79B9)).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 40)
        as usize
        % EDGES
}
