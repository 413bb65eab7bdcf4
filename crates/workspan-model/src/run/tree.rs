//! The call tree over spawn sites.

use serde::{Deserialize, Serialize};

use crate::{Nanos, SiteId, Span, Work};

/// Index of a [`Node`] in [`Profile::tree`](crate::Profile::tree).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The root of the tree.
    pub const ROOT: Self = Self(0);

    /// The index, for slices.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// For how long a thread ran strands of a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadShare {
    /// The node of the innermost parallel region, loop, sections or named region around the strands,
    /// or the root.
    pub node: NodeId,
    /// The thread, 0 for the main one; one that started after another's end may have its number.
    pub thread: u32,
    /// How long, without voluntary waits.
    pub ran: Nanos,
}

/// A node of the call tree: a logical stack of sites, with recursion folded.
///
/// The path from the root to a node that is not [`recursive`](Self::recursive) is the sequence of
/// distinct sites of the stack, in the order of their first appearance. Entering a site that the
/// path already contains adds no depth: if that site is the last one, the node stays the same;
/// otherwise the strands count at a `recursive` leaf below it. So the sites of a node and of its
/// ancestors are exactly the sites active there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The node above; `None` only for the root. Its index is always smaller than the node's own.
    pub parent: Option<NodeId>,
    /// The site entered last.
    pub site: SiteId,
    /// Whether the site was already active when it was entered.
    pub recursive: bool,
    /// Figures over all instances.
    pub on_work: OnWork,
    /// Figures over the critical path.
    pub on_span: OnSpan,
    /// What the longest paths of the node's top instances went through, added up.
    #[serde(default)]
    pub path: Vec<PathPart>,
}

impl Node {
    /// A node without figures, which is not [`recursive`](Self::recursive).
    pub fn new(parent: Option<NodeId>, site: SiteId) -> Self {
        Self {
            parent,
            site,
            recursive: false,
            on_work: OnWork::default(),
            on_span: OnSpan::default(),
            path: Vec::new(),
        }
    }
}

/// The part of one node in the longest paths of the top instances of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathPart {
    /// The node that the paths went through.
    pub node: NodeId,
    /// Time of its strands on the paths.
    pub local_span: Span,
    /// The number of its instances that start on the paths.
    pub count: u64,
}

/// Figures of a node over all instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnWork {
    /// Time of the strands that ran while this node was current.
    pub local_work: Work,
    /// The part of it that the program spent in voluntary waits: sleep, I/O, locks.
    pub blocked: Nanos,
    /// Instances of the node's site entered into this node.
    pub count: u64,
    /// Those of them with no outer instance of the site (Cilkprof §6, top-call-site).
    pub top_count: u64,
    /// Sum of the spans of the top instances.
    pub top_span: Span,
    /// Tasks that ran on another thread than their spawner.
    pub stolen: u64,
    /// Tasks created.
    pub spawns: u64,
    /// Waits for tasks.
    pub syncs: u64,
    /// Sum over the instances of the time of their own strands on their own longest path (Cilkprof
    /// §6, local).
    #[serde(default)]
    pub local_span: Span,
    /// Only for a region's node: the sum of the burdened spans of the top instances.
    #[serde(default)]
    pub top_burdened_span: Span,
    /// Only for a region's node: how far `top_span` and `top_burdened_span` may be off, on either
    /// side.
    #[serde(default)]
    pub top_open: Nanos,
    /// Only for a region's node: tasks created in the top instances, whoever waits for them.
    #[serde(default)]
    pub top_spawns: u64,
    /// Only for a region's node: waits for tasks in the top instances.
    #[serde(default)]
    pub top_syncs: u64,
}

/// Figures of a node over the critical path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnSpan {
    /// Time of the strands of this node on the critical path.
    pub local_span: Span,
    /// Instances whose start lies on the critical path.
    pub count: u64,
    /// Those of them with no outer instance of the site whose end lies on the path too.
    #[serde(default)]
    pub top_count: u64,
    /// Their work, including everything that they wait for, on the path or off it.
    #[serde(default)]
    pub top_work: Work,
    /// Time of the own strands of the instances that start on the path, whether or not the strands
    /// are on it.
    #[serde(default)]
    pub local_work: Work,
}
