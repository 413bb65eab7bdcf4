//! Invocation trees: every instance of a site by itself, nothing folded.

use std::collections::BTreeMap;

use workspan_model::{Nanos, Node, NodeId, OnSpan, OnWork, SiteId, Span, Work};

/// An instance of a site: arms that run in parallel. It ends when all arms have.
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
    /// The longest arm.
    pub fn span(&self) -> i64 {
        self.arms.iter().map(|arm| arm_span(arm)).max().unwrap_or(0)
    }

    fn work(&self) -> i64 {
        let steps = self.arms.iter().flatten();
        steps
            .map(|step| match step {
                Step::Strand(nanos) => *nanos,
                Step::Call(instance) => instance.work(),
            })
            .sum()
    }

    /// The arms, with whether they lie on the critical path when the instance does.
    fn arms_on_path(&self, on_path: bool) -> impl Iterator<Item = (&[Step], bool)> {
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

/// What the definitions say about the sites of one group.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub count: u64,
    pub top_count: u64,
    pub work: i64,
    pub span: i64,
    pub local_work: i64,
    pub count_on_span: u64,
    pub local_span: i64,
}

/// The figures of each group of sites that appears in `program`: an instance is a top instance of its
/// group when no instance around it is of the same group.
pub fn figures_by_group(
    program: &Instance,
    group_of: &impl Fn(u32) -> u32,
) -> BTreeMap<u32, Figures> {
    let mut figures = BTreeMap::new();
    visit(program, true, &mut Vec::new(), group_of, &mut figures);
    figures
}

fn visit(
    instance: &Instance,
    on_path: bool,
    around: &mut Vec<u32>,
    group_of: &impl Fn(u32) -> u32,
    figures: &mut BTreeMap<u32, Figures>,
) {
    let group = group_of(instance.site);
    let figure = figures.entry(group).or_default();
    figure.count += 1;
    figure.count_on_span += u64::from(on_path);
    if !around.contains(&group) {
        figure.top_count += 1;
        figure.work += instance.work();
        figure.span += instance.span();
    }
    around.push(group);
    for (arm, on_path) in instance.arms_on_path(on_path) {
        for step in arm {
            match step {
                Step::Call(inner) => visit(inner, on_path, around, group_of, figures),
                Step::Strand(nanos) => {
                    let figure = figures.entry(group).or_default();
                    figure.local_work += nanos;
                    figure.local_span += if on_path { *nanos } else { 0 };
                }
            }
        }
    }
    around.pop();
}

/// The call tree of `program`, and its span in nanoseconds.
pub fn fold(program: &Instance) -> (Vec<Node>, Nanos) {
    let mut tree = Tree {
        nodes: vec![node(None, SiteId::ROOT, false)],
    };
    tree.enter(program, NodeId::ROOT, true, true);
    (tree.nodes, Nanos::from_nanos(program.span()))
}

struct Tree {
    nodes: Vec<Node>,
}

fn node(parent: Option<NodeId>, site: SiteId, recursive: bool) -> Node {
    Node {
        parent,
        site,
        recursive,
        on_work: OnWork::default(),
        on_span: OnSpan::default(),
        path: Vec::new(),
    }
}

impl Tree {
    /// Counts an instance entered into node `id`, and folds what it runs.
    fn enter(&mut self, instance: &Instance, id: NodeId, top: bool, on_path: bool) {
        let node = &mut self.nodes[id.index()];
        node.on_work.count += 1;
        if top {
            node.on_work.top_count += 1;
            node.on_work.top_span += Span::from_nanos(instance.span());
        }
        node.on_span.count += u64::from(on_path);
        for (arm, on_path) in instance.arms_on_path(on_path) {
            for step in arm {
                match step {
                    Step::Strand(nanos) => {
                        let node = &mut self.nodes[id.index()];
                        node.on_work.local_work += Work::from_nanos(*nanos);
                        let on_span = if on_path { *nanos } else { 0 };
                        node.on_span.local_span += Span::from_nanos(on_span);
                    }
                    Step::Call(inner) => {
                        let (inner_id, top) = self.node_of_call(id, SiteId(inner.site));
                        self.enter(inner, inner_id, top, on_path);
                    }
                }
            }
        }
    }

    /// The node that entering `site` from node `from` leads to, and whether that is a top edge.
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
        let new = node(Some(parent), site, recursive);
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
