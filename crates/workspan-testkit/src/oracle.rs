//! The figures of a program by their definitions, from its explicit dag.
//!
//! Slow and plain on purpose: each instance's span is a longest path of its own sub-dag, and
//! nothing is folded, so that no step is shared with the engine.

use std::collections::{BTreeMap, BTreeSet};

use crate::dag::{Dag, InstanceId, VertexId};
use crate::figures::{
    Figures, NodeFigures, NodeKey, RegionFigures, RegionSums, SiteFigures, Totals,
};
use crate::program::Construct;

/// The figures that a profile of the dag's program must have.
pub fn figures(dag: &Dag, burden: u64) -> Figures {
    let whole = longest_path(dag, 0, 0..dag.vertices.len());
    let burdened = longest_path(dag, burden, 0..dag.vertices.len());
    let mut on_span = vec![false; dag.vertices.len()];
    for vertex in whole.vertices() {
        on_span[vertex] = true;
    }
    let mut spans = Spans {
        dag,
        known: vec![None; dag.instances.len()],
    };
    let regions = regions(dag, burden, &mut spans);
    let mut constructs = grouped(dag, &on_span, &mut spans, |instance| {
        dag.instances[instance].site.construct
    });
    // Regions are distinguished by their names and share no row.
    constructs.remove(&Construct::Region);
    Figures {
        totals: Totals {
            work: sum_of_weights(dag, 0..dag.vertices.len()),
            span: whole.length,
            burdened_span: burdened.length,
            spawns: dag.instances.iter().map(|instance| instance.spawns).sum(),
            syncs: dag.instances.iter().map(|instance| instance.syncs).sum(),
        },
        region_sums: region_sums(dag, &regions),
        regions: sorted(regions),
        nodes: nodes(dag, whole.length, &on_span, &mut spans),
        sites: grouped(dag, &on_span, &mut spans, |instance| {
            dag.instances[instance].site
        }),
        constructs,
    }
}

/// By node of the call tree, the weights of the vertices whose weight `counts`: the sum of all, and
/// of those on the critical path.
pub fn work_and_span_of(dag: &Dag, counts: impl Fn(u64) -> bool) -> BTreeMap<NodeKey, (u64, u64)> {
    let whole = longest_path(dag, 0, 0..dag.vertices.len());
    let on_span: BTreeSet<VertexId> = whole.vertices().collect();
    let mut nodes: BTreeMap<NodeKey, (u64, u64)> = BTreeMap::new();
    for (vertex, strand) in dag.vertices.iter().enumerate() {
        if counts(strand.weight) {
            let key = NodeKey::of(&dag.stack(strand.instance));
            let (work, span) = nodes.entry(key).or_default();
            *work += strand.weight;
            if on_span.contains(&vertex) {
                *span += strand.weight;
            }
        }
    }
    nodes
}

fn nodes(
    dag: &Dag,
    span: i64,
    on_span: &[bool],
    spans: &mut Spans,
) -> BTreeMap<NodeKey, NodeFigures> {
    // The program is one instance of itself.
    let root = NodeFigures {
        count: 1,
        top_count: 1,
        top_span: span,
        count_on_span: 1,
        top_count_on_span: 1,
        top_work_on_span: sum_of_weights(dag, 0..dag.vertices.len()),
        ..NodeFigures::default()
    };
    let mut nodes = BTreeMap::from([(NodeKey::default(), root)]);
    for (vertex, strand) in dag.vertices.iter().enumerate() {
        let node = nodes
            .entry(NodeKey::of(&dag.stack(strand.instance)))
            .or_default();
        node.local_work += strand.weight as i64;
        if on_span[vertex] {
            node.local_span += strand.weight as i64;
        }
    }
    for (id, instance) in dag.instances.iter().enumerate() {
        let node = nodes.entry(NodeKey::of(&dag.stack(Some(id)))).or_default();
        node.count += 1;
        node.spawns += instance.spawns;
        node.syncs += instance.syncs;
        let top = dag.is_top_of_site(id);
        if top {
            node.top_count += 1;
            node.top_span += spans.span_of(id);
        }
        if on_span[instance.begin] {
            node.count_on_span += 1;
        }
        let path = spans.path_of(id);
        let own = |vertices: &[VertexId]| -> i64 {
            let own = |vertex: &VertexId| dag.vertices[*vertex].instance == Some(id);
            sum_of_weights(dag, vertices.iter().copied().filter(own))
        };
        let own_span = own(&path);
        node.own_span += own_span;
        if on_span[instance.begin] && on_span[instance.end] {
            let within: Vec<VertexId> = dag.within(id).collect();
            node.local_work_on_span += own(&within) - own_span;
            if top {
                node.top_count_on_span += 1;
                node.top_work_on_span += sum_of_weights(dag, within.into_iter());
            }
        }
        if top {
            add_path(dag, &path, Some(id), &mut node.paths);
        }
    }
    let whole: Vec<VertexId> = (0..dag.vertices.len())
        .filter(|&vertex| on_span[vertex])
        .collect();
    let root = nodes.entry(NodeKey::default()).or_default();
    add_path(dag, &whole, None, &mut root.paths);
    root.paths.entry(NodeKey::default()).or_default().1 += 1;
    root.own_span = root.local_span;
    // The program begins and ends on its path.
    root.local_work_on_span = root.local_work - root.local_span;
    for node in nodes.values_mut() {
        node.local_work_on_span += node.local_span;
        node.paths.retain(|_, part| *part != (0, 0));
    }
    nodes
}

/// Every instance of a region with its figures.
fn regions(dag: &Dag, burden: u64, spans: &mut Spans) -> Vec<(InstanceId, RegionFigures)> {
    let regions = (0..dag.instances.len())
        .filter(|&id| dag.instances[id].site.construct == Construct::Region);
    regions
        .map(|region| {
            let is_in = |instance| dag.chain(instance).any(|outer| outer == region);
            let mut spawns = 0;
            let mut syncs = 0;
            for (id, instance) in dag.instances.iter().enumerate() {
                // A single task is created where it is spawned; others belong to the instance that
                // waits for them.
                let creator = match instance.site.construct {
                    Construct::Spawn
                    | Construct::SpawnFifo
                    | Construct::Detached
                    | Construct::DetachedFifo => instance.made_in,
                    Construct::DetachedBroadcast => None,
                    _ => Some(id),
                };
                if is_in(creator) {
                    spawns += instance.spawns;
                }
                if is_in(Some(id)) {
                    syncs += instance.syncs;
                }
            }
            let figures = RegionFigures {
                node: NodeKey::of(&dag.stack(Some(region))),
                work: sum_of_weights(dag, dag.within(region)),
                span: spans.span_of(region),
                burdened_span: longest_path(dag, burden, dag.within(region)).length,
                spawns,
                syncs,
            };
            (region, figures)
        })
        .collect()
}

fn sorted(regions: Vec<(InstanceId, RegionFigures)>) -> Vec<RegionFigures> {
    let mut figures: Vec<RegionFigures> = regions.into_iter().map(|(_, figures)| figures).collect();
    figures.sort();
    figures
}

fn region_sums(
    dag: &Dag,
    regions: &[(InstanceId, RegionFigures)],
) -> BTreeMap<NodeKey, RegionSums> {
    let mut sums: BTreeMap<NodeKey, RegionSums> = BTreeMap::new();
    for (id, figures) in regions {
        if dag.is_top_of_site(*id) {
            let sum = sums.entry(figures.node.clone()).or_default();
            sum.burdened_span += figures.burdened_span;
            sum.spawns += figures.spawns;
            sum.syncs += figures.syncs;
        }
    }
    sums.retain(|_, sum| *sum != RegionSums::default());
    sums
}

/// Adds the ticks on a path and the instances that begin on it, each to its node. The path is that
/// of `around`, or of the whole program.
fn add_path(
    dag: &Dag,
    path: &[VertexId],
    around: Option<InstanceId>,
    paths: &mut BTreeMap<NodeKey, (i64, u64)>,
) {
    for &vertex in path {
        let strand = &dag.vertices[vertex];
        let (instance, weight) = (strand.instance, strand.weight);
        let part = paths.entry(NodeKey::of(&dag.stack(instance))).or_default();
        part.0 += weight as i64;
        let begins = instance.filter(|&instance| dag.instances[instance].begin == vertex);
        part.1 += u64::from(begins.is_some());
    }
    debug_assert!(around.is_none_or(|around| path.contains(&dag.instances[around].begin)));
}

/// Figures of instances by group. A top instance is one that no instance of its group contains.
fn grouped<G: Ord>(
    dag: &Dag,
    on_span: &[bool],
    spans: &mut Spans,
    group: impl Fn(InstanceId) -> G,
) -> BTreeMap<G, SiteFigures> {
    let mut groups: BTreeMap<G, SiteFigures> = BTreeMap::new();
    for (id, instance) in dag.instances.iter().enumerate() {
        let figures = groups.entry(group(id)).or_default();
        figures.count += 1;
        if dag.is_top(id, &group) {
            figures.top_count += 1;
            figures.work += sum_of_weights(dag, dag.within(id));
            figures.span += spans.span_of(id);
        }
        if on_span[instance.begin] {
            figures.count_on_span += 1;
        }
    }
    for (vertex, strand) in dag.vertices.iter().enumerate() {
        let Some(instance) = strand.instance else {
            continue;
        };
        let figures = groups.entry(group(instance)).or_default();
        figures.local_work += strand.weight as i64;
        if on_span[vertex] {
            figures.local_span += strand.weight as i64;
        }
    }
    groups
}

fn sum_of_weights(dag: &Dag, vertices: impl Iterator<Item = VertexId>) -> i64 {
    vertices
        .map(|vertex| dag.vertices[vertex].weight as i64)
        .sum()
}

/// Spans of instances, each computed at most once.
struct Spans<'a> {
    dag: &'a Dag,
    known: Vec<Option<i64>>,
}

impl Spans<'_> {
    fn span_of(&mut self, instance: InstanceId) -> i64 {
        let dag = self.dag;
        *self.known[instance]
            .get_or_insert_with(|| longest_path(dag, 0, dag.within(instance)).length)
    }

    /// The vertices of the longest path, in order.
    fn path_of(&self, instance: InstanceId) -> Vec<VertexId> {
        let longest = longest_path(self.dag, 0, self.dag.within(instance));
        let mut path: Vec<VertexId> = longest.vertices().collect();
        path.reverse();
        path
    }
}

/// A path of greatest length.
struct LongestPath {
    length: i64,
    /// The first vertex looked at, from which `before` counts.
    first: VertexId,
    last: Option<VertexId>,
    before: Vec<Option<VertexId>>,
}

impl LongestPath {
    /// From the last to the first.
    fn vertices(&self) -> impl Iterator<Item = VertexId> + '_ {
        std::iter::successors(self.last, |&vertex| self.before[vertex - self.first])
    }
}

/// The longest path through the given vertices alone, by dynamic programming; they come in
/// topological order. Among paths of equal length it is the one with the most vertices, so that it
/// leads from the first vertex to the last.
fn longest_path(dag: &Dag, burden: u64, vertices: impl Iterator<Item = VertexId>) -> LongestPath {
    let mut vertices = vertices.peekable();
    let first = vertices.peek().copied().unwrap_or(0);
    let (mut lengths, mut before) = (Vec::new(), Vec::new());
    let mut longest = 0;
    let mut last = None;
    for vertex in vertices {
        let strand = &dag.vertices[vertex];
        let mut length_before = 0;
        let mut on_path = None;
        for edge in &strand.predecessors {
            let known = edge.from.checked_sub(first);
            let known = known.and_then(|number| lengths.get(number).copied());
            let Some(mut length) = known.flatten() else {
                continue;
            };
            if edge.stealable {
                length += burden as i64;
            }
            if on_path.is_none() || length > length_before {
                length_before = length;
                on_path = Some(edge.from);
            }
        }
        let length = length_before + strand.weight as i64;
        lengths.resize(vertex - first, None);
        lengths.push(Some(length));
        before.resize(vertex - first, None);
        before.push(on_path);
        if length >= longest {
            longest = length;
            last = Some(vertex);
        }
    }
    LongestPath {
        length: longest,
        first,
        last,
        before,
    }
}

#[cfg(test)]
#[path = "oracle_tests.rs"]
mod tests;
