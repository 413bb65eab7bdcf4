//! The call tree: one node for each sequence of spawn sites that were active at once.
//!
//! Entering site `s` from node `n`
//! * leads to a child of `n` if `s` is not active at `n`; then the instance is a *top* instance of
//!   `s`;
//! * leads no deeper if it is. Then the node stands for the same active sites with `s` as the
//!   innermost: it is `n`'s own canonical node if `s` is its last site, else a *recursive* leaf
//!   below it.
//!
//! So which sites are active is a property of the node, whatever the recursion, and the tree stays
//! finite. (Folding back to the site's node above, as a calling-context tree usually does, would
//! forget the sites in between: in `s → t → s → t` the second `t` would count as a top instance.)

pub(crate) mod call;
pub(crate) mod construct;
pub(crate) mod kinds;
pub(crate) mod table;
pub(crate) mod text;

use crate::tree::call::{Call, Kind};
use crate::tree::table::NODES;
use std::borrow::Cow;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The deepest nesting of nodes: reports walk from each to the root. `workspan-model` has the same
/// limit.
pub const MOST_NESTED_SITES: usize = 500;

pub(crate) const ROOT: u32 = 0;

pub(crate) struct Site {
    /// Key of the call without the stack: the same for all places that make the same internal call.
    pub(crate) call_key: u64,
    pub(crate) kind: Kind,
    pub(crate) internal: bool,
    pub(crate) place: Option<Place>,
    pub(crate) closure: Option<fn() -> &'static str>,
    /// The name of a region.
    pub(crate) name: Option<String>,
    pub(crate) call: Option<FunctionCall>,
    /// The return address at which a runtime says that its construct begins.
    pub(crate) address: Option<usize>,
    /// [Copy](crate::stack) of the stack when the site first appeared; empty if none was taken.
    pub(crate) stack: Box<[u64]>,
}

impl Site {
    /// A site of which only the kind is known.
    pub(crate) fn of(kind: Kind) -> Self {
        Self {
            call_key: 0,
            kind,
            internal: false,
            place: None,
            closure: None,
            name: None,
            call: None,
            address: None,
            stack: Box::default(),
        }
    }
}

/// A place in the source.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) file: Cow<'static, str>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl From<&'static Location<'static>> for Place {
    fn from(location: &'static Location<'static>) -> Self {
        Self {
            file: location.file().into(),
            line: location.line(),
            column: location.column(),
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) parent: u32,
    pub(crate) site: u32,
    pub(crate) recursive: bool,
    /// How many nodes are above it.
    pub(crate) depth: u32,
}

/// A call of a function.
pub(crate) struct FunctionCall {
    /// The return address, 0 if unknown; for an inlined function, that of the function around it.
    pub(crate) from: usize,
    /// The address of the function.
    pub(crate) to: usize,
    /// Where the entry hook was called, inlined or not; 0 if unknown.
    pub(crate) code: usize,
}

/// Where a call leads: the node of the new instance, and whether it is a top instance.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub(crate) node: u32,
    pub(crate) top: bool,
}

pub(crate) struct Tree {
    pub(crate) sites: Vec<Site>,
    pub(crate) nodes: Vec<Node>,
    /// Whether some node could not be made: the tree is full or would be too deep.
    pub(crate) truncated: bool,
    by_key: HashMap<u64, u32>,
    edges: HashMap<(u32, u32), Edge>,
    /// For each site, whether it has a node.
    entered: Vec<bool>,
    calls: HashMap<u64, bool>,
}

static TREE: Mutex<Option<Tree>> = Mutex::new(None);

/// Locks the session's call tree. Off the fast path, since threads cache the edges that they have
/// used.
pub(crate) fn lock() -> TreeGuard {
    let mut guard = TREE.lock().unwrap_or_else(PoisonError::into_inner);
    guard.get_or_insert_with(Tree::new);
    TreeGuard(guard)
}

/// Access to the session's tree.
pub(crate) struct TreeGuard(MutexGuard<'static, Option<Tree>>);

impl std::ops::Deref for TreeGuard {
    type Target = Tree;
    fn deref(&self) -> &Tree {
        self.0.as_ref().expect("made by `lock`")
    }
}

impl std::ops::DerefMut for TreeGuard {
    fn deref_mut(&mut self) -> &mut Tree {
        self.0.as_mut().expect("made by `lock`")
    }
}

impl Tree {
    pub(crate) fn new() -> Self {
        let root = Site::of(Kind::Root);
        Self {
            sites: vec![root],
            nodes: vec![Node {
                parent: ROOT,
                site: 0,
                recursive: false,
                depth: 0,
            }],
            truncated: false,
            by_key: HashMap::new(),
            edges: HashMap::new(),
            entered: vec![true],
            calls: HashMap::new(),
        }
    }

    /// Whether the stack is needed to find the place of `call`, made at `node`. It is if the call
    /// stands inside rayon, unless it continues an iterator that is already being split.
    pub(crate) fn needs_stack(&mut self, node: u32, call: &Call) -> bool {
        let internal = *self
            .calls
            .entry(call.key)
            .or_insert_with(|| call.is_internal());
        internal && self.sites[self.nodes[node as usize].site as usize].call_key != call.key
    }

    /// The edge from `node` for `call`. `stack_key` distinguishes internal calls from different
    /// places, and is 0 if the stack was not needed. `stack` is called if the site is new.
    pub(crate) fn enter(
        &mut self,
        node: u32,
        call: &Call,
        stack_key: u64,
        stack: impl FnOnce() -> Box<[u64]>,
    ) -> Edge {
        let internal = self.calls.get(&call.key).copied().unwrap_or(false);
        let here = self.nodes[node as usize].site;
        let site = if internal && stack_key == 0 && self.sites[here as usize].call_key == call.key {
            here
        } else {
            let key = call.key ^ stack_key;
            if !self.has_room_for(key) {
                return Edge { node, top: false };
            }
            self.site(key, || Site {
                call_key: call.key,
                internal,
                place: Some(call.location.into()),
                closure: Some(call.closure),
                stack: stack(),
                ..Site::of(call.kind)
            })
        };
        self.enter_site(node, site)
    }

    /// The edge from `node` for the site of `key`, which `make` describes if it is new.
    pub(crate) fn enter_serial(
        &mut self,
        node: u32,
        key: u64,
        make: impl FnOnce() -> Site,
    ) -> Edge {
        if !self.has_room_for(key) {
            return Edge { node, top: false };
        }
        let site = self.site(key, make);
        self.enter_site(node, site)
    }

    /// Whether the site of `key` is known or there is room for it. A program may make up names
    /// forever, or have a different stack each time. A site without a node is not reported, so it
    /// need not be known.
    fn has_room_for(&mut self, key: u64) -> bool {
        let is_full = self.nodes.len() == NODES || self.sites.len() >= NODES;
        if is_full && !self.by_key.contains_key(&key) {
            self.truncated = true;
            return false;
        }
        true
    }

    /// The site of `key`, which `make` describes if it is new.
    pub(crate) fn site(&mut self, key: u64, make: impl FnOnce() -> Site) -> u32 {
        let new = self.sites.len() as u32;
        let site = *self.by_key.entry(key).or_insert(new);
        if site == new {
            self.sites.push(make());
        }
        site
    }

    pub(crate) fn enter_site(&mut self, node: u32, site: u32) -> Edge {
        if let Some(edge) = self.edges.get(&(node, site)) {
            return *edge;
        }
        let Node {
            parent, recursive, ..
        } = self.nodes[node as usize];
        let canonical = if recursive { parent } else { node };
        let edge = if self.nodes[canonical as usize].site == site {
            Edge {
                node: canonical,
                top: false,
            }
        } else {
            let top = !self.is_active(canonical, site);
            // Children are made by the canonical node's edges, so that its variants share them.
            match self.edges.get(&(canonical, site)) {
                Some(edge) => *edge,
                None => match self.add_node(Node {
                    parent: canonical,
                    site,
                    recursive: !top,
                    depth: self.nodes[canonical as usize].depth + 1,
                }) {
                    Some(child) => Edge { node: child, top },
                    // No room: the instance counts towards its caller's node, and the report says
                    // so.
                    None => Edge { node, top: false },
                },
            }
        };
        self.edges.insert((node, site), edge);
        self.edges.insert((canonical, site), edge);
        edge
    }

    fn add_node(&mut self, node: Node) -> Option<u32> {
        if self.nodes.len() == NODES || node.depth as usize > MOST_NESTED_SITES {
            self.truncated = true;
            return None;
        }
        let site = node.site as usize;
        if self.entered.len() <= site {
            self.entered.resize(site + 1, false);
        }
        self.entered[site] = true;
        self.nodes.push(node);
        Some(self.nodes.len() as u32 - 1)
    }

    fn is_active(&self, mut node: u32, site: u32) -> bool {
        if !self
            .entered
            .get(site as usize)
            .is_some_and(|entered| *entered)
        {
            return false;
        }
        loop {
            if self.nodes[node as usize].site == site {
                return true;
            }
            if node == ROOT {
                return false;
            }
            node = self.nodes[node as usize].parent;
        }
    }

    /// Forgets nodes, sites and edges.
    pub(crate) fn clear(&mut self) {
        *self = Self::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "takes long")]
    fn a_full_tree_takes_no_new_names() {
        let mut tree = Tree::new();
        for key in 1..NODES as u64 {
            let edge = tree.enter_serial(ROOT, key, || Site::of(Kind::Region));
            assert!(edge.top && !tree.truncated);
        }
        let known = (tree.sites.len(), tree.edges.len());
        for key in 0..10 {
            let edge = tree.enter_serial(1, u64::MAX - key, || Site::of(Kind::Region));
            let none = Edge {
                node: 1,
                top: false,
            };
            assert_eq!(edge, none);
        }
        assert!(tree.truncated);
        assert_eq!((tree.sites.len(), tree.edges.len()), known);
    }

    #[test]
    fn mutual_recursion_keeps_apart_who_is_active() {
        let mut tree = Tree::new();
        for _ in 0..2 {
            tree.sites.push(Site::of(Kind::Join));
        }
        let (s, t) = (1, 2);
        let first_s = tree.enter_site(ROOT, s);
        assert!(first_s.top);
        assert_eq!(
            tree.enter_site(first_s.node, s),
            Edge {
                node: first_s.node,
                top: false
            }
        );
        let first_t = tree.enter_site(first_s.node, t);
        assert!(first_t.top);
        let second_s = tree.enter_site(first_t.node, s);
        assert!(!second_s.top && tree.nodes[second_s.node as usize].recursive);
        assert_eq!(tree.nodes[second_s.node as usize].parent, first_t.node);
        assert_eq!(
            tree.enter_site(second_s.node, t),
            Edge {
                node: first_t.node,
                top: false
            }
        );
        assert_eq!(
            tree.enter_site(second_s.node, s),
            Edge {
                node: second_s.node,
                top: false
            }
        );
        assert_eq!(tree.nodes.len(), 4);
    }
}
