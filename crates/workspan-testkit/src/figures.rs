//! The figures that the oracle and the profile must agree on.

use std::collections::BTreeMap;

use crate::program::{Construct, Site};

/// A node of the call tree by its definition: the distinct sites of the logical stack in order of
/// first appearance, and the innermost site if it had appeared before and is not the last of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeKey<S = Site> {
    /// Distinct sites in order of first appearance.
    pub path: Vec<S>,
    /// The innermost site, if it had appeared before and another one has appeared since.
    pub recursive: Option<S>,
}

impl<S> Default for NodeKey<S> {
    fn default() -> Self {
        NodeKey {
            path: Vec::new(),
            recursive: None,
        }
    }
}

impl<S: Copy + PartialEq> NodeKey<S> {
    /// The node of a logical stack, outermost site first.
    pub fn of(stack: &[S]) -> NodeKey<S> {
        let mut path: Vec<S> = Vec::new();
        for site in stack {
            if !path.contains(site) {
                path.push(*site);
            }
        }
        let recursive = stack
            .last()
            .filter(|site| path.last() != Some(site))
            .copied();
        NodeKey { path, recursive }
    }

    /// The node's own site; `None` for the root.
    pub fn site(&self) -> Option<S> {
        self.recursive.or_else(|| self.path.last().copied())
    }
}

/// Figures of a node of the call tree. Times in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeFigures {
    /// Work of the strands run with the node current.
    pub local_work: i64,
    /// Instances entered into the node.
    pub count: u64,
    /// Top instances: those that no instance of the same site contains.
    pub top_count: u64,
    /// Sum of the spans of the top instances.
    pub top_span: i64,
    /// Tasks created by the instances.
    pub spawns: u64,
    /// Waits of the instances.
    pub syncs: u64,
    /// Work of the node's strands that lie on the critical path.
    pub local_span: i64,
    /// Instances that start on the critical path.
    pub count_on_span: u64,
    /// Work of the own strands of each instance that lie on its own longest path, summed up.
    pub own_span: i64,
    /// Top instances that start and end on the critical path.
    pub top_count_on_span: u64,
    /// Their work.
    pub top_work_on_span: i64,
    /// Work of own strands: all those of instances that start and end on the critical path, and
    /// those of other instances that lie on it.
    pub local_work_on_span: i64,
    /// Ticks and instances on the longest paths of the top instances, by node.
    pub paths: BTreeMap<NodeKey, (i64, u64)>,
}

/// Figures of a site, or of all sites of a construct. Times in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteFigures {
    /// All instances.
    pub count: u64,
    /// Top instances: those that no instance of the same site or construct contains.
    pub top_count: u64,
    /// Sum of the work within the top instances.
    pub work: i64,
    /// Sum of the longest paths within the top instances.
    pub span: i64,
    /// Work of the instances' own strands.
    pub local_work: i64,
    /// Instances that start on the critical path.
    pub count_on_span: u64,
    /// Work of the own strands that lie on the critical path.
    pub local_span: i64,
}

/// Figures of the whole program. Times in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Sum of all strands.
    pub work: i64,
    /// Longest path.
    pub span: i64,
    /// Longest path, with the burden on every stealable edge.
    pub burdened_span: i64,
    /// Tasks created.
    pub spawns: u64,
    /// Waits.
    pub syncs: u64,
}

/// Figures of one execution of a region. Times in ticks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegionFigures {
    /// Its node.
    pub node: NodeKey,
    /// Work within.
    pub work: i64,
    /// Longest path within.
    pub span: i64,
    /// Longest path within, with the burden on every stealable edge.
    pub burdened_span: i64,
    /// Tasks created in it.
    pub spawns: u64,
    /// Waits in it.
    pub syncs: u64,
}

/// Sums over the top instances of a region's node. Times in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionSums {
    /// Burdened spans.
    pub burdened_span: i64,
    /// Tasks created in them.
    pub spawns: u64,
    /// Waits in them.
    pub syncs: u64,
}

/// All figures of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The whole program.
    pub totals: Totals,
    /// Each node of the call tree that was entered or has figures.
    pub nodes: BTreeMap<NodeKey, NodeFigures>,
    /// Each execution of a region, sorted.
    pub regions: Vec<RegionFigures>,
    /// Each node of a region whose sums are not all 0.
    pub region_sums: BTreeMap<NodeKey, RegionSums>,
    /// Each site.
    pub sites: BTreeMap<Site, SiteFigures>,
    /// Each construct, all its sites taken as one.
    pub constructs: BTreeMap<Construct, SiteFigures>,
}

impl Figures {
    /// Describes each figure in which `self`, the profile, departs from `expected`.
    pub fn differences(&self, expected: &Figures) -> Vec<String> {
        let mut lines = Vec::new();
        if self.totals != expected.totals {
            lines.push(difference(
                "totals",
                Some(&self.totals),
                Some(&expected.totals),
            ));
        }
        if self.regions != expected.regions {
            let (found, expected) = (Some(&self.regions), Some(&expected.regions));
            lines.push(difference("regions", found, expected));
        }
        compare(
            "sums of region",
            &self.region_sums,
            &expected.region_sums,
            &mut lines,
        );
        compare("node", &self.nodes, &expected.nodes, &mut lines);
        compare("site", &self.sites, &expected.sites, &mut lines);
        compare(
            "construct",
            &self.constructs,
            &expected.constructs,
            &mut lines,
        );
        lines
    }
}

fn compare<K: Ord + std::fmt::Debug, V: PartialEq + std::fmt::Debug>(
    what: &str,
    found: &BTreeMap<K, V>,
    expected: &BTreeMap<K, V>,
    lines: &mut Vec<String>,
) {
    let keys: std::collections::BTreeSet<&K> = found.keys().chain(expected.keys()).collect();
    for key in keys {
        let (found, expected) = (found.get(key), expected.get(key));
        if found != expected {
            lines.push(difference(&format!("{what} {key:?}"), found, expected));
        }
    }
}

fn difference<V: std::fmt::Debug>(what: &str, found: Option<V>, expected: Option<V>) -> String {
    let text = |figures: Option<V>| figures.map_or("absent".to_owned(), |some| format!("{some:?}"));
    format!(
        "{what}\n    found    {}\n    expected {}",
        text(found),
        text(expected)
    )
}
