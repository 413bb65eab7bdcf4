//! How far figures may be off if trees of tiny tasks are timed as a whole, derived from the program
//! alone.
//!
//! A *stretch* is a part of one branch of a join, on one thread: it begins with a join that is the
//! first boundary of the branch, and ends with the branch, or earlier at the first boundary that
//! does not belong to a join. The strands in it are not timed one by one. For any program, and
//! whichever stretches an engine opens, it follows:
//!
//! - Every task, spawn and wait is counted, so all counts are exact.
//! - A stretch is timed from its first reading of the clock to its last, so the program's work is
//!   exact.
//! - The time of a stretch is shared among its own nodes of the call tree, so a site's work is off
//!   by no more than the ticks that other sites have in the same branches, or that it has itself.
//! - On the path each strand is assumed to be as long as the mean of its kind that was measured at
//!   the node, scaled by what stretches took. So it is taken to be no longer than the longest strand
//!   at the node, times the greatest scale. A path is taken to be no longer than the stretch if that
//!   ends with its branch, so it is off by at most the stretch's ticks; else by these and by the
//!   length of its strands if each were as long as that.

use std::collections::BTreeMap;

use workspan_rt::session::VirtualCost;
use workspan_testkit::{
    Construct, Dag, Figures, InstanceId, NodeKey, RegionFigures, Site, SiteFigures, Vertex,
    VertexId,
};

/// Forks after which a stretch is broken off; fewer than in the engine.
const FORKS: i64 = 1000;

/// Boundaries of a fork: where it begins, and where its two branches end.
const BOUNDARIES: i64 = 3;

/// By how much stretches make strands longer at most.
const SCALE: i64 = 10;

/// What takes longer than the grain times this is no interruption.
const INTERRUPTION: i64 = 25;

/// So many strands at a node tell how long they usually are.
const KNOWN: usize = 8;

/// How a program is timed.
pub struct Timed {
    /// Branches expected to be shorter may be timed as a whole.
    pub grain: i64,
    pub cost: VirtualCost,
}

/// How far the figures of a program may be off.
pub struct Estimates<'a> {
    dag: &'a Dag,
    timed: Timed,
    /// The node of each instance.
    keys: Vec<NodeKey>,
    /// How many strands each node has.
    strands: BTreeMap<NodeKey, usize>,
    trees: Vec<Tree>,
}

/// The part of a join's branch that can be in a stretch: from its first join on.
struct Tree {
    /// The join that it is a branch of.
    join: InstanceId,
    first: VertexId,
    /// The first vertex after it.
    end: VertexId,
    /// The longest that a strand in it is assumed to be.
    longest: i64,
    /// Ticks of the strands that can be in the stretch, by instance.
    parts: BTreeMap<InstanceId, i64>,
    ticks: i64,
    forks: i64,
    /// Only one thread can run any part of it.
    is_alone: bool,
    /// Once begun, a stretch lasts until its end: it is whole and of one site, and no thief can
    /// take a part.
    closes: bool,
    is_outermost: bool,
    /// The greatest uncertainty of any path through it.
    width: i64,
}

/// How many ticks less or more than the truth a figure may be.
#[derive(Clone, Copy, Default)]
pub struct Allowance {
    less: i64,
    more: i64,
}

impl Allowance {
    pub fn both(ticks: i64) -> Self {
        Self {
            less: ticks,
            more: ticks,
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            less: self.less.saturating_add(other.less),
            more: self.more.saturating_add(other.more),
        }
    }

    /// Whether `found` may stand for `truth`.
    pub fn allows(self, found: i64, truth: i64) -> bool {
        (-self.less..=self.more).contains(&(found - truth))
    }

    /// Replaces a figure by the truth if it may stand for it; others stay, and differ.
    fn settle(self, found: &mut i64, truth: i64) {
        if self.allows(*found, truth) {
            *found = truth;
        }
    }
}

fn is_fork(dag: &Dag, instance: InstanceId) -> bool {
    matches!(
        dag.instances[instance].site.construct,
        Construct::Join | Construct::JoinContext
    )
}

/// Whether the instance is in `join`, with nothing but joins between the two.
fn is_joined(dag: &Dag, instance: Option<InstanceId>, join: InstanceId) -> bool {
    dag.chain(instance)
        .take_while(|inner| is_fork(dag, *inner))
        .any(|inner| inner == join)
}

impl<'a> Estimates<'a> {
    pub fn new(dag: &'a Dag, timed: Timed) -> Self {
        let forks = (0..dag.instances.len()).filter(|&instance| is_fork(dag, instance));
        let mut trees: Vec<Tree> = forks
            .flat_map(|join| {
                let right = dag.instances[join].right.expect("a join has two branches");
                let branches = [
                    (dag.instances[join].begin + 1, right),
                    (right + 1, dag.instances[join].end),
                ];
                branches.map(|(begin, end)| Tree::new(dag, join, begin, end))
            })
            .flatten()
            .collect();
        trees.sort_by_key(|tree| tree.end - tree.first);
        let keys = (0..dag.instances.len()).map(|id| NodeKey::of(&dag.stack(Some(id))));
        let keys: Vec<NodeKey> = keys.collect();
        let mut strands: BTreeMap<NodeKey, usize> = BTreeMap::new();
        let mut longest: BTreeMap<&NodeKey, i64> = BTreeMap::new();
        for strand in &dag.vertices {
            if let Some(instance) = strand.instance {
                *strands.entry(keys[instance].clone()).or_default() += 1;
                let longest = longest.entry(&keys[instance]).or_default();
                *longest = (*longest).max(strand.weight as i64);
            }
        }
        let boundary = timed.cost.reading + timed.cost.boundary;
        for tree in &mut trees {
            let nodes = tree.parts.keys().map(|&instance| longest[&keys[instance]]);
            // A measured strand is off by a boundary at most, and so is a scaled one.
            tree.longest = (SCALE * (nodes.max().unwrap_or(0) + boundary)).max(1);
        }
        let mut estimates = Self {
            dag,
            timed,
            keys,
            strands,
            trees,
        };
        for tree in 0..estimates.trees.len() {
            estimates.trees[tree].is_outermost = !estimates.trees[tree + 1..]
                .iter()
                .any(|outer| outer.contains(dag, &estimates.trees[tree]));
            estimates.trees[tree].width = estimates.width_of(tree);
        }
        estimates
    }

    /// The greatest uncertainty of any path through a tree. If its stretch is broken off, others
    /// may follow in it: they share neither ticks nor strands.
    fn width_of(&self, tree: usize) -> i64 {
        let (smaller, tree) = (&self.trees[..tree], &self.trees[tree]);
        let nested: Vec<&Tree> = (smaller.iter())
            .filter(|inner| tree.contains(self.dag, inner))
            .collect();
        let assumed = BOUNDARIES * tree.forks * tree.longest;
        if !tree.closes {
            return tree.ticks + assumed;
        }
        // Either all of it is one stretch, or branches of its joins are stretches.
        let direct = nested
            .iter()
            .copied()
            .filter(|inner| !(nested.iter()).any(|outer| outer.contains(self.dag, inner)));
        let separate = heaviest(self.dag, tree.first..tree.end, direct);
        tree.ticks.max(separate)
    }

    /// Whether there can be a stretch at all. One is opened for a branch that is expected to take
    /// less than the grain: as long as its sibling took, or five eighths of what a join before it
    /// or around it took. Each of these took no less than the first strand of a left branch.
    pub fn are_any(&self) -> bool {
        let joins = (0..self.dag.instances.len()).filter(|&instance| is_fork(self.dag, instance));
        let first_strand = |join: InstanceId| {
            let first = &self.dag.vertices[self.dag.instances[join].begin + 1];
            if first.instance == Some(join) {
                first.weight as i64
            } else {
                0
            }
        };
        let depth = |join: InstanceId| {
            let around = self.dag.chain(Some(join));
            around.filter(|&outer| is_fork(self.dag, outer)).count()
        };
        let Some(least) = joins.clone().map(first_strand).min() else {
            return false;
        };
        let depth = joins.map(depth).max().unwrap_or(0);
        let expected = (0..depth).fold(least, |expected, _| expected / 8 * 5);
        !self.trees.is_empty() && expected < self.timed.grain
    }

    /// How much less than its length a strand may count on the path: one that is longer than others
    /// at the node may have been interrupted.
    fn interrupted(&self, strand: &Vertex) -> i64 {
        let VirtualCost {
            reading, boundary, ..
        } = self.timed.cost;
        let is_known = |instance: InstanceId| self.strands[&self.keys[instance]] > KNOWN;
        match strand.instance {
            Some(instance) if reading + boundary > 0 && is_known(instance) => {
                (INTERRUPTION * self.timed.grain).min(strand.weight as i64)
            }
            _ => 0,
        }
    }

    /// Whether any strand may have been interrupted.
    pub fn any_interrupted(&self) -> bool {
        let mut strands = self.dag.vertices.iter();
        strands.any(|strand| self.interrupted(strand) > 0)
    }

    fn outermost(&self) -> impl Iterator<Item = &Tree> {
        self.trees.iter().filter(|tree| tree.is_outermost)
    }

    /// How far the engine's own cost may be off in all, where it is not subtracted at each
    /// boundary: by half of a boundary's cost at the end of each stretch, by all of it if a thief
    /// has a part; and for a stretch that is broken off, by all boundaries of its joins, though
    /// some of them may be yet to come.
    fn own_cost(&self) -> Allowance {
        let VirtualCost {
            reading, boundary, ..
        } = self.timed.cost;
        let per_stretch = |tree: &Tree| {
            if tree.is_alone {
                (reading + boundary) / 2
            } else {
                reading + boundary
            }
        };
        let cut = self.outermost().filter(|tree| !tree.closes);
        Allowance {
            less: cut.map(|tree| BOUNDARIES * tree.forks * boundary).sum(),
            more: self.trees.iter().map(per_stretch).sum(),
        }
    }

    /// The greatest uncertainty that the profile may report for the span.
    pub fn width(&self) -> i64 {
        let dag = self.dag;
        let on_path = heaviest(dag, 0..dag.vertices.len(), self.outermost());
        let VirtualCost {
            reading, boundary, ..
        } = self.timed.cost;
        // Between stretches, a strand is assumed to be as long as the mean of its kind if that is
        // less than three boundaries' cost, and the strand no longer than four times the mean and a
        // boundary's cost. If it is longer, it may have been interrupted.
        let unsure = 4 * (3 + 1) * (reading + boundary);
        let interrupted = match unsure {
            0 => 0,
            _ => INTERRUPTION * self.timed.grain,
        };
        let uncertain = |strand: &Vertex| unsure.max(interrupted.min(strand.weight as i64));
        let strands: i64 = dag.vertices.iter().map(uncertain).sum();
        let strands = strands + dag.interruptions.len() as i64 * unsure;
        // A thief does not know how long the stretch is going to be that it steals from, so all
        // uncertainty in it counts on every path: once for each join of which a thief can have a
        // part.
        let shared = self.outermost().filter(|tree| !tree.is_alone);
        // Bounds are wide where strands are long, which no stretch need have.
        let escaped = shared.map(|tree| tree.forks.saturating_mul(tree.width));
        escaped.fold(on_path.saturating_add(strands), i64::saturating_add)
    }

    /// How far the work of those strands may be off for whose innermost instance `is_in` holds. The
    /// time of a stretch stays in its branch.
    fn work(&self, is_in: impl Fn(Option<InstanceId>) -> bool) -> Allowance {
        self.outermost()
            .map(|tree| {
                let (mut within, mut without) = (0, 0);
                // A strand without length gets a share, too: the branch ends with one of its own
                // join.
                let mut is_mixed = !is_in(Some(tree.join));
                for (&instance, &ticks) in &tree.parts {
                    if is_in(Some(instance)) {
                        within += ticks;
                    } else {
                        without += ticks;
                        is_mixed = true;
                    }
                }
                Allowance {
                    less: if is_mixed { within } else { 0 },
                    more: without,
                }
            })
            .fold(self.own_cost(), Allowance::and)
    }

    /// How far the sum of the instances' spans may be off.
    fn spans(&self, instances: impl Iterator<Item = InstanceId>) -> Allowance {
        let own_cost = self.own_cost();
        let own_cost = Allowance::both(own_cost.less.max(own_cost.more));
        instances
            .map(|instance| {
                let strands = self.dag.within(instance);
                let strands = strands.map(|vertex| self.interrupted(&self.dag.vertices[vertex]));
                let allowance = Allowance::both(self.span(instance));
                allowance.and(Allowance {
                    less: strands.sum(),
                    more: 0,
                })
            })
            .fold(own_cost, Allowance::and)
    }

    fn span(&self, instance: InstanceId) -> i64 {
        let dag = self.dag;
        let within: Vec<VertexId> = dag.within(instance).collect();
        let inner: Vec<&Tree> = (self.trees.iter())
            .filter(|tree| dag.chain(Some(tree.join)).any(|outer| outer == instance))
            .collect();
        let outermost = inner
            .iter()
            .copied()
            .filter(|tree| !inner.iter().any(|outer| outer.contains(dag, tree)));
        let separate = heaviest(dag, within.iter().copied(), outermost);
        let begin = dag.instances[instance].begin;
        let around = self.outermost().find(|tree| tree.has(dag, begin));
        match around.filter(|_| is_fork(dag, instance)) {
            None => separate,
            Some(tree) if tree.closes => {
                let ticks = within
                    .iter()
                    .map(|&vertex| dag.vertices[vertex].weight as i64);
                ticks.sum::<i64>().max(separate)
            }
            // A stretch that is broken off within the instance may put time on its path that was
            // spent before it.
            Some(tree) => tree.width.saturating_add(separate),
        }
    }

    /// Replaces figures by the oracle's where they may stand for these. `open` is the uncertainty
    /// of the span in the profile.
    pub fn settle(&self, found: &mut Figures, truth: &Figures, open: i64) {
        let dag = self.dag;
        self.own_cost()
            .settle(&mut found.totals.work, truth.totals.work);
        let path = Allowance::both(open + self.own_cost().less.max(self.own_cost().more));
        path.settle(&mut found.totals.span, truth.totals.span);
        path.settle(&mut found.totals.burdened_span, truth.totals.burdened_span);
        let all = || 0..dag.instances.len();
        let root = NodeKey::default();
        let key = |instance: Option<InstanceId>| instance.map_or(&root, |id| &self.keys[id]);
        for (node, found) in &mut found.nodes {
            let Some(truth) = truth.nodes.get(node) else {
                continue;
            };
            let local = self.work(|instance| key(instance) == node);
            local.settle(&mut found.local_work, truth.local_work);
            let tops = all().filter(|&id| key(Some(id)) == node && dag.is_top_of_site(id));
            let spans = match node.site() {
                Some(_) => self.spans(tops),
                None => path,
            };
            spans.settle(&mut found.top_span, truth.top_span);
            // These depend on which path was assumed to be the longest.
            found.local_span = truth.local_span;
            found.count_on_span = truth.count_on_span;
            found.own_span = truth.own_span;
            found.top_count_on_span = truth.top_count_on_span;
            found.top_work_on_span = truth.top_work_on_span;
            found.local_work_on_span = truth.local_work_on_span;
            found.paths.clone_from(&truth.paths);
        }
        self.settle_groups(&mut found.sites, &truth.sites, |id| dag.instances[id].site);
        let construct = |id: InstanceId| dag.instances[id].site.construct;
        self.settle_groups(&mut found.constructs, &truth.constructs, construct);
        self.settle_regions(found, truth);
    }

    fn settle_groups<G: Ord + Copy>(
        &self,
        found: &mut BTreeMap<G, SiteFigures>,
        truth: &BTreeMap<G, SiteFigures>,
        group: impl Fn(InstanceId) -> G + Copy,
    ) {
        let dag = self.dag;
        for (name, found) in found {
            let Some(truth) = truth.get(name) else {
                continue;
            };
            let is_active = |at| dag.chain(at).any(|outer| group(outer) == *name);
            self.work(is_active).settle(&mut found.work, truth.work);
            let is_innermost = |at: Option<InstanceId>| at.is_some_and(|id| group(id) == *name);
            self.work(is_innermost)
                .settle(&mut found.local_work, truth.local_work);
            let tops =
                (0..dag.instances.len()).filter(|&id| group(id) == *name && dag.is_top(id, group));
            self.spans(tops).settle(&mut found.span, truth.span);
            found.local_span = truth.local_span;
            found.count_on_span = truth.count_on_span;
        }
    }

    fn settle_regions(&self, found: &mut Figures, truth: &Figures) {
        let dag = self.dag;
        let is_region = |id: &InstanceId| dag.instances[*id].site.construct == Construct::Region;
        let mut spans: BTreeMap<NodeKey, i64> = BTreeMap::new();
        for id in (0..dag.instances.len()).filter(is_region) {
            let span = spans.entry(self.keys[id].clone()).or_default();
            *span = (*span).max(self.spans(std::iter::once(id)).less);
        }
        let order = |region: &RegionFigures| {
            (
                region.node.clone(),
                region.spawns,
                region.syncs,
                region.work,
                region.span,
            )
        };
        found.regions.sort_by_key(order);
        let mut expected = truth.regions.clone();
        expected.sort_by_key(order);
        for (found, truth) in found.regions.iter_mut().zip(&expected) {
            let span = Allowance::both(spans.get(&truth.node).copied().unwrap_or(0));
            // A region begins and ends with a reading of the clock.
            self.own_cost().settle(&mut found.work, truth.work);
            span.settle(&mut found.span, truth.span);
            span.settle(&mut found.burdened_span, truth.burdened_span);
        }
        found.regions.sort();
        for (node, found) in &mut found.region_sums {
            let Some(truth) = truth.region_sums.get(node) else {
                continue;
            };
            let regions = (0..dag.instances.len()).filter(is_region);
            let tops = regions.filter(|&id| self.keys[id] == *node && dag.is_top_of_site(id));
            self.spans(tops)
                .settle(&mut found.burdened_span, truth.burdened_span);
        }
    }
}

impl Tree {
    fn new(dag: &Dag, join: InstanceId, begin: VertexId, end: VertexId) -> Option<Self> {
        let is_in = |vertex: VertexId| (begin..end).contains(&vertex);
        let interruptions: Vec<_> = (dag.interruptions.iter())
            .filter(|interruption| {
                (begin - 1..end).contains(&interruption.after)
                    && is_joined(dag, interruption.instance, join)
            })
            .collect();
        // The first boundary of the branch must be a join.
        let first_fork = (0..dag.instances.len()).find(|&instance| {
            is_fork(dag, instance)
                && dag.instances[instance].contained_in == Some(join)
                && is_in(dag.instances[instance].begin)
        })?;
        let first = dag.instances[first_fork].begin;
        if interruptions
            .iter()
            .any(|interruption| interruption.after < first)
        {
            return None;
        }
        let mut tree = Self {
            join,
            first,
            end,
            longest: 0,
            parts: BTreeMap::new(),
            ticks: 0,
            forks: 0,
            is_alone: dag.instances[join].threads == 1,
            closes: false,
            is_outermost: false,
            width: 0,
        };
        let vertices: Vec<VertexId> = tree.vertices(dag).collect();
        for &vertex in &vertices {
            let strand = &dag.vertices[vertex];
            let instance = strand.instance.expect("it is in a join");
            *tree.parts.entry(instance).or_default() += strand.weight as i64;
        }
        tree.ticks = tree.parts.values().sum();
        tree.forks = forks_among(dag, &vertices);
        let site: Site = dag.instances[join].site;
        tree.closes = tree.is_alone
            && interruptions.is_empty()
            && tree.forks <= FORKS
            && NodeKey::of(&dag.stack(Some(join))) == NodeKey::of(&dag.stack(Some(first_fork)))
            && (tree.parts.keys()).all(|&instance| dag.instances[instance].site == site);
        Some(tree)
    }

    /// Whether the strand can be in the stretch.
    fn has(&self, dag: &Dag, vertex: VertexId) -> bool {
        (self.first..self.end).contains(&vertex)
            && is_joined(dag, dag.vertices[vertex].instance, self.join)
    }

    fn vertices<'d>(&'d self, dag: &'d Dag) -> impl Iterator<Item = VertexId> + 'd {
        (self.first..self.end).filter(|&vertex| self.has(dag, vertex))
    }

    fn contains(&self, dag: &Dag, inner: &Tree) -> bool {
        (self.first, self.end) != (inner.first, inner.end)
            && self.first <= inner.first
            && inner.end <= self.end
            && self.has(dag, inner.first)
    }
}

/// The number of joins that begin at one of the vertices.
fn forks_among(dag: &Dag, vertices: &[VertexId]) -> i64 {
    let begins = |&&vertex: &&VertexId| {
        let instance = dag.vertices[vertex].instance;
        instance.is_some_and(|id| is_fork(dag, id) && dag.instances[id].begin == vertex)
    };
    vertices.iter().filter(begins).count() as i64
}

/// The greatest sum of widths of `trees` on a path through the vertices.
fn heaviest<'t>(
    dag: &Dag,
    vertices: impl Iterator<Item = VertexId>,
    trees: impl Iterator<Item = &'t Tree>,
) -> i64 {
    let mut widths: BTreeMap<VertexId, i64> = BTreeMap::new();
    for tree in trees {
        let width = widths.entry(tree.first).or_default();
        *width = width.saturating_add(tree.width);
    }
    if widths.is_empty() {
        return 0;
    }
    let mut sums: BTreeMap<VertexId, i64> = BTreeMap::new();
    for vertex in vertices {
        let before = dag.vertices[vertex].predecessors.iter();
        let before = before.filter_map(|edge| sums.get(&edge.from)).max();
        let width = widths.get(&vertex).copied().unwrap_or(0);
        let sum = before.copied().unwrap_or(0).saturating_add(width);
        sums.insert(vertex, sum);
    }
    sums.into_values().max().unwrap_or(0)
}
