//! What the oracle and the profile must agree on.

use std::collections::BTreeMap;

use crate::program::{Construct, Site};

/// A node of the call tree by its definition: the distinct sites of the logical stack in order of
/// first appearance, and the innermost site where it had appeared before and isn't the last of
/// those.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeKey<S = Site> {
    /// Distinct sites in order of first appearance.
    pub path: Vec<S>,
    /// The innermost site, when it had appeared before and another has since.
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

    /// The node's own site; none for the root.
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
    /// Those of them that no instance of the same site contains.
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
    /// Sum over the instances of the own strands on the instance's own longest path.
    pub own_span: i64,
    /// Top instances that start and end on the critical path.
    pub top_count_on_span: u64,
    /// Their work.
    pub top_work_on_span: i64,
    /// Work of the own strands of the instances that start and end on the critical path; of others, of those on it.
    pub local_work_on_span: i64,
    /// Of the longest paths of the top instances: ticks and instances, by node.
    pub paths: BTreeMap<NodeKey, (i64, u64)>,
}

/// Figures of a site, or of all sites of a construct. Times in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteFigures {
    /// All instances.
    pub count: u64,
    /// Those that no instance of the same site or construct contains.
    pub top_count: u64,
    /// Sum over the top instances of the work within.
    pub work: i64,
    /// Sum over the top instances of the longest path within.
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
    /// The same with the burden on every stealable edge.
    pub burdened_span: i64,
    /// Tasks created in it.
    pub spawns: u64,
    /// Waits in it.
    pub syncs: u64,
}

/// Sums over the top instances of a region's node. Times in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionSums {
    /// Of their burdened spans.
    pub burdened_span: i64,
    /// Of the tasks created in them.
    pub spawns: u64,
    /// Of the waits in them.
    pub syncs: u64,
}

/// All figures of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Of the whole program.
    pub totals: Totals,
    /// Of each node of the call tree that was entered or has figures.
    pub nodes: BTreeMap<NodeKey, NodeFigures>,
    /// Of each execution of a region, in order.
    pub regions: Vec<RegionFigures>,
    /// Of each node of a region, if there are any.
    pub region_sums: BTreeMap<NodeKey, RegionSums>,
    /// Of each site.
    pub sites: BTreeMap<Site, SiteFigures>,
    /// Of each construct's sites taken as one.
    pub constructs: BTreeMap<Construct, SiteFigures>,
}

impl Figures {
    /// The figures with everything at nothing that is an estimate when tiny branches are timed as a whole: what
    /// depends on the length of paths, and how the work divides among nodes.
    pub fn without_estimates(mut self) -> Self {
        self.totals.span = 0;
        self.totals.burdened_span = 0;
        for node in self.nodes.values_mut() {
            node.local_work = 0;
            node.top_span = 0;
            node.local_span = 0;
            node.count_on_span = 0;
            node.own_span = 0;
            node.top_count_on_span = 0;
            node.top_work_on_span = 0;
            node.local_work_on_span = 0;
            node.paths.clear();
        }
        for region in &mut self.regions {
            (region.work, region.span, region.burdened_span) = (0, 0, 0);
        }
        self.regions.sort();
        for sums in self.region_sums.values_mut() {
            sums.burdened_span = 0;
        }
        for site in self.sites.values_mut().chain(self.constructs.values_mut()) {
            site.work = 0;
            site.local_work = 0;
            site.span = 0;
            site.local_span = 0;
            site.count_on_span = 0;
        }
        self
    }

    /// A line for each figure in which `self`, the profile, departs from `expected`.
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
