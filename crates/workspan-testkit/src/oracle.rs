//! The figures of a program by their definitions, from its explicit dag.
//!
//! Slow and plain on purpose: each instance's span is a longest path of its own sub-dag, and
//! nothing is folded, so that no step is shared with the engine.

use std::collections::BTreeMap;

use crate::dag::{Dag, InstanceId, VertexId};
use crate::figures::{Figures, NodeFigures, NodeKey, SiteFigures, Totals};

/// The figures that a profile of the dag's program must show.
pub fn figures(dag: &Dag, burden: u64) -> Figures {
    let whole = longest_path(dag, 0, |_| true);
    let burdened = longest_path(dag, burden, |_| true);
    let mut on_span = vec![false; dag.vertices.len()];
    for vertex in whole.vertices() {
        on_span[vertex] = true;
    }
    let mut spans = Spans {
        dag,
        known: vec![None; dag.instances.len()],
    };
    Figures {
        totals: Totals {
            work: sum_of_weights(dag, |_| true),
            span: whole.length,
            burdened_span: burdened.length,
            spawns: dag.instances.iter().map(|instance| instance.spawns).sum(),
            syncs: dag.instances.iter().map(|instance| instance.syncs).sum(),
        },
        nodes: nodes(dag, &on_span, &mut spans),
        sites: grouped(dag, &on_span, &mut spans, |instance| {
            dag.instances[instance].site
        }),
        constructs: grouped(dag, &on_span, &mut spans, |instance| {
            dag.instances[instance].site.construct
        }),
    }
}

fn nodes(dag: &Dag, on_span: &[bool], spans: &mut Spans) -> BTreeMap<NodeKey, NodeFigures> {
    let mut nodes: BTreeMap<NodeKey, NodeFigures> = BTreeMap::new();
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
        if is_top(dag, id, &|instance| dag.instances[instance].site) {
            node.top_count += 1;
            node.top_span += spans.of(id);
        }
        if on_span[instance.begin] {
            node.count_on_span += 1;
        }
    }
    nodes
}

/// Figures of instances by group, a top instance being one that no instance of its group contains.
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
        if is_top(dag, id, &group) {
            figures.top_count += 1;
            figures.work += sum_of_weights(dag, |vertex| {
                dag.is_within(dag.vertices[vertex].instance, id)
            });
            figures.span += spans.of(id);
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

fn is_top<G: Eq>(dag: &Dag, id: InstanceId, group: &impl Fn(InstanceId) -> G) -> bool {
    dag.chain(dag.instances[id].contained_in)
        .all(|outer| group(outer) != group(id))
}

fn sum_of_weights(dag: &Dag, keeps: impl Fn(VertexId) -> bool) -> i64 {
    (0..dag.vertices.len())
        .filter(|&vertex| keeps(vertex))
        .map(|vertex| dag.vertices[vertex].weight as i64)
        .sum()
}

/// Spans of instances, each computed at most once.
struct Spans<'a> {
    dag: &'a Dag,
    known: Vec<Option<i64>>,
}

impl Spans<'_> {
    fn of(&mut self, instance: InstanceId) -> i64 {
        let dag = self.dag;
        *self.known[instance].get_or_insert_with(|| {
            longest_path(dag, 0, |vertex| {
                dag.is_within(dag.vertices[vertex].instance, instance)
            })
            .length
        })
    }
}

/// A path of greatest length.
struct LongestPath {
    length: i64,
    last: Option<VertexId>,
    before: Vec<Option<VertexId>>,
}

impl LongestPath {
    fn vertices(&self) -> impl Iterator<Item = VertexId> + '_ {
        std::iter::successors(self.last, |&vertex| self.before[vertex])
    }
}

/// The longest path through the vertices that `keeps` holds of, by dynamic programming in
/// topological order. Of paths of one length it is that of most vertices, so that it leads from
/// the begin of the dag to its end.
fn longest_path(dag: &Dag, burden: u64, keeps: impl Fn(VertexId) -> bool) -> LongestPath {
    let mut lengths: Vec<Option<i64>> = vec![None; dag.vertices.len()];
    let mut before = vec![None; dag.vertices.len()];
    let mut longest = LongestPath {
        length: 0,
        last: None,
        before: Vec::new(),
    };
    for (vertex, strand) in dag.vertices.iter().enumerate() {
        if !keeps(vertex) {
            continue;
        }
        let mut length_before = 0;
        for edge in &strand.predecessors {
            let Some(mut length) = lengths[edge.from] else {
                continue;
            };
            if edge.stealable {
                length += burden as i64;
            }
            if before[vertex].is_none() || length > length_before {
                length_before = length;
                before[vertex] = Some(edge.from);
            }
        }
        let length = length_before + strand.weight as i64;
        lengths[vertex] = Some(length);
        if length >= longest.length {
            longest.length = length;
            longest.last = Some(vertex);
        }
    }
    longest.before = before;
    longest
}

#[cfg(test)]
#[path = "oracle_tests.rs"]
mod tests;
