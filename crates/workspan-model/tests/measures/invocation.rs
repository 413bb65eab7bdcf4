//! Invocation trees: every instance of a site separately, with nothing folded.

use std::collections::BTreeMap;

use proptest::prelude::*;
use workspan_model::{Nanos, Node, NodeId, PathPart, SiteId, Span, Work};

/// An instance of a site: arms that run in parallel. It ends when all arms have ended.
#[derive(Clone, Debug)]
pub struct Instance {
    pub site: u32,
    pub arms: Vec<Vec<Step>>,
}

/// A step of an arm.
#[derive(Clone, Debug)]
pub enum Step {
    /// A strand of this many nanoseconds.
    Strand(i64),
    /// An instance that the arm starts and waits for.
    Call(Instance),
}

impl Step {
    fn span(&self) -> i64 {
        match self {
            Self::Strand(nanos) => *nanos,
            Self::Call(instance) => instance.span(),
        }
    }
}

impl Instance {
    /// The span of the longest arm.
    pub fn span(&self) -> i64 {
        self.arms.iter().map(|arm| arm_span(arm)).max().unwrap_or(0)
    }

    pub fn work(&self) -> i64 {
        let steps = self.arms.iter().flatten();
        steps
            .map(|step| match step {
                Step::Strand(nanos) => *nanos,
                Step::Call(instance) => instance.work(),
            })
            .sum()
    }

    /// Time of its own strands.
    pub fn local_work(&self) -> i64 {
        self.arms.iter().map(|arm| own_strands(arm)).sum()
    }

    /// Time of its own strands on its own longest path.
    pub fn local_span(&self) -> i64 {
        let arms = self.arms_on_path(true);
        let on_path = arms.filter(|(_, on_path)| *on_path);
        on_path.map(|(arm, _)| own_strands(arm)).sum()
    }

    /// The arms, with whether they lie on the critical path when the instance does.
    pub fn arms_on_path(&self, on_path: bool) -> impl Iterator<Item = (&[Step], bool)> {
        let longest = self
            .arms
            .iter()
            .position(|arm| arm_span(arm) == self.span());
        let arms = self.arms.iter().enumerate();
        arms.map(move |(index, arm)| (arm.as_slice(), on_path && Some(index) == longest))
    }
}

fn arm_span(arm: &[Step]) -> i64 {
    arm.iter().map(Step::span).sum()
}

fn own_strands(arm: &[Step]) -> i64 {
    let strands = arm.iter().map(|step| match step {
        Step::Strand(nanos) => *nanos,
        Step::Call(_) => 0,
    });
    strands.sum()
}

/// Random programs have sites 1 to `SITES`; site 0 is the root.
pub const SITES: u32 = 6;

/// A program whose instances of a site have at most `most_arms(site)` arms.
pub fn random_program(most_arms: fn(u32) -> usize) -> impl Strategy<Value = Instance> {
    let strand = || (0..1000_i64).prop_map(Step::Strand);
    let instance = |site, arms| Instance { site, arms };
    let leaf = (1..=SITES, prop::collection::vec(strand(), 0..4))
        .prop_map(move |(site, steps)| instance(site, vec![steps]));
    let below_root = leaf.prop_recursive(7, 60, 6, move |inner| {
        let step = prop_oneof![strand(), inner.prop_map(Step::Call)];
        let arms = prop::collection::vec(prop::collection::vec(step, 0..4), 1..4);
        (1..=SITES, arms).prop_map(move |(site, mut arms)| {
            arms.truncate(most_arms(site));
            instance(site, arms)
        })
    });
    let step = prop_oneof![strand(), below_root.prop_map(Step::Call)];
    prop::collection::vec(step, 0..6).prop_map(move |steps| instance(0, vec![steps]))
}

/// The call tree of `program`, and its span in nanoseconds.
pub fn fold(program: &Instance) -> (Vec<Node>, Nanos) {
    let mut tree = Tree {
        nodes: vec![Node::new(None, SiteId::ROOT)],
    };
    tree.enter(program, NodeId::ROOT, true, true);
    (tree.nodes, Nanos::from_nanos(program.span()))
}

struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// Counts an instance that is entered into node `id`, and folds what it runs. Returns what its
    /// own longest path goes through: time and instances of each node.
    fn enter(&mut self, instance: &Instance, id: NodeId, top: bool, on_path: bool) -> Path {
        let mut path = Path::from([(id, (instance.local_span(), 1))]);
        // Each arm comes with whether it lies on the instance's own longest path.
        for (arm, on_own_path) in instance.arms_on_path(true) {
            for step in arm {
                let Step::Call(inner) = step else {
                    continue;
                };
                let (inner_id, top) = self.node_of_call(id, SiteId(inner.site));
                let below = self.enter(inner, inner_id, top, on_path && on_own_path);
                for (node, (nanos, count)) in below.into_iter().filter(|_| on_own_path) {
                    let part = path.entry(node).or_default();
                    *part = (part.0 + nanos, part.1 + count);
                }
            }
        }
        let node = &mut self.nodes[id.index()];
        let on_work = &mut node.on_work;
        on_work.count += 1;
        on_work.local_work += Work::from_nanos(instance.local_work());
        on_work.local_span += Span::from_nanos(instance.local_span());
        if top {
            on_work.top_count += 1;
            on_work.top_span += Span::from_nanos(instance.span());
            add_path(&mut node.path, &path);
        }
        if on_path {
            let on_span = &mut node.on_span;
            on_span.count += 1;
            on_span.local_span += Span::from_nanos(instance.local_span());
            on_span.local_work += Work::from_nanos(instance.local_work());
            on_span.top_count += u64::from(top);
            on_span.top_work += Work::from_nanos(if top { instance.work() } else { 0 });
        }
        path
    }

    /// The node to which entering `site` from node `from` leads, and whether that is a top edge.
    fn node_of_call(&mut self, from: NodeId, site: SiteId) -> (NodeId, bool) {
        let canonical = match &self.nodes[from.index()] {
            Node {
                recursive: true,
                parent: Some(parent),
                ..
            } => *parent,
            _ => from,
        };
        let active = self.path(canonical).contains(&site);
        if active && self.nodes[canonical.index()].site == site {
            return (canonical, false);
        }
        (self.child(canonical, site, active), !active)
    }

    fn path(&self, id: NodeId) -> Vec<SiteId> {
        let ids = std::iter::successors(Some(id), |id| self.nodes[id.index()].parent);
        ids.map(|id| self.nodes[id.index()].site).collect()
    }

    fn child(&mut self, parent: NodeId, site: SiteId, recursive: bool) -> NodeId {
        let new = Node {
            recursive,
            ..Node::new(Some(parent), site)
        };
        let same = |node: &Node| {
            (node.parent, node.site, node.recursive) == (Some(parent), site, recursive)
        };
        let index = self.nodes.iter().position(same).unwrap_or_else(|| {
            self.nodes.push(new);
            self.nodes.len() - 1
        });
        NodeId(u32::try_from(index).unwrap())
    }
}

type Path = BTreeMap<NodeId, (i64, u64)>;

fn add_path(parts: &mut Vec<PathPart>, path: &Path) {
    for (&node, &(nanos, count)) in path {
        let local_span = Span::from_nanos(nanos);
        match parts.iter_mut().find(|part| part.node == node) {
            Some(part) => {
                part.local_span += local_span;
                part.count += count;
            }
            None => parts.push(PathPart {
                node,
                local_span,
                count,
            }),
        }
    }
}
