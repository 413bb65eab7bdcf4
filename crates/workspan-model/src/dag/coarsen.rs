//! Merging tasks into fewer, longer ones.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::branches::Branches;
use super::{Dag, Successor, Successors, Vertex, VertexId, VertexKind};
use crate::SiteId;

/// Which tasks to merge.
#[derive(Clone, Copy)]
pub(super) struct Coarsening<'a> {
    /// The sites that create the tasks.
    pub(super) sites: &'a [SiteId],
    /// How many tasks become one.
    pub(super) factor: u32,
    /// Cost of creating a task, in ticks.
    pub(super) cost: i64,
}

/// `original` with tasks of the sites merged:
///
/// - A join runs its branches one after the other if it has at most `factor` leaves below it. Only
///   joins of the sites are counted.
/// - Of the tasks that one task spawns for the same sync, every `factor` in a row become one task,
///   which can begin when all of them have been spawned.
/// - The shape of a folded subtree is unknown. Its span grows by what merging leaves of average
///   length adds. It is at most the work that is left, and, before the cost of the merged tasks is
///   taken off, at least the earlier span.
///
/// If the merged tasks would wait for one another in a circle, the dag is returned unchanged.
pub(super) fn coarsened(original: &Dag, coarsening: Coarsening<'_>) -> Dag {
    let branches = Branches::new(original);
    let mut dag = original.clone();
    let mut edges = Edges::default();
    serialise_joins(&mut dag, &branches, coarsening, &mut edges);
    merge_spawns(&mut dag, &branches, coarsening, &mut edges);
    for at in 0..dag.vertices.len() {
        if dag.vertices[at].kind == VertexKind::Folded && is_at_sites(&dag, at, coarsening) {
            coarsen_folded(&mut dag.vertices[at], coarsening);
        }
    }
    edges.rewrite(dag).unwrap_or_else(|| original.clone())
}

/// Edges to remove, and edges to add instead.
#[derive(Default)]
struct Edges {
    removed: Vec<(VertexId, VertexId)>,
    added: Vec<(VertexId, Successor)>,
}

/// Whether the code of a vertex ends at one of the sites; that of a folded subtree may also begin
/// there.
fn is_at_sites(dag: &Dag, vertex: usize, coarsening: Coarsening<'_>) -> bool {
    let vertex = &dag.vertices[vertex];
    let region = &dag.regions[vertex.region.index()];
    let at = |site| coarsening.sites.contains(&site);
    // A strand that creates tasks ends at the construct; a folded subtree may begin or end at it.
    at(region.to.site) || (vertex.kind == VertexKind::Folded && at(region.from.site))
}

fn serialise_joins(
    dag: &mut Dag,
    branches: &Branches,
    coarsening: Coarsening<'_>,
    edges: &mut Edges,
) {
    let forks_of = |vertex: VertexId| match &dag.vertices[vertex.index()] {
        _ if !is_at_sites(dag, vertex.index(), coarsening) => 0,
        vertex if vertex.kind == VertexKind::Fork => 1,
        vertex => u64::from(vertex.tasks),
    };
    let forks = branches.sums(forks_of);
    for sync in 0..dag.vertices.len() {
        let fork = dag.vertices[sync].begun_by;
        let is_fork = dag.vertices[fork.index()].kind == VertexKind::Fork;
        if !is_fork || !is_at_sites(dag, fork.index(), coarsening) {
            continue;
        }
        let &[left, right] = dag.successors(fork) else {
            continue;
        };
        let (left, right) = (left.to(), right.to());
        let ends = branches
            .beginning_with(left)
            .zip(branches.beginning_with(right));
        let Some((left_end, right_end)) = ends.map(|(left, right)| (left.last, right.last)) else {
            continue;
        };
        let below = [left, right].map(|first| forks[branches.number_of(first) as usize]);
        let leaves = 2 + below[0] + below[1];
        let id = VertexId(sync as u32);
        if leaves > u64::from(coarsening.factor) || !waits_for(dag, id, left_end) {
            continue;
        }
        edges.remove(fork, right);
        edges.remove(left_end, id);
        edges.add(left_end, Successor::new(right, false));
        dag.vertices[fork.index()].kind = VertexKind::Strand;
        dag.vertices[sync].kind = VertexKind::Strand;
        dag.vertices[sync].begun_by = id;
        subtract(
            dag,
            coarsening.cost,
            &[fork, left_end, right, right_end, id],
        );
    }
}

fn waits_for(dag: &Dag, waiting: VertexId, vertex: VertexId) -> bool {
    let mut successors = dag.successors(vertex).iter();
    successors.any(|successor| successor.to() == waiting)
}

/// A task, and where it is spawned and awaited.
#[derive(Clone, Copy)]
struct Task {
    spawn: VertexId,
    first: VertexId,
    last: VertexId,
    sync: VertexId,
}

fn merge_spawns(dag: &mut Dag, branches: &Branches, coarsening: Coarsening<'_>, edges: &mut Edges) {
    let mut rows: BTreeMap<(u32, VertexId), Vec<Task>> = BTreeMap::new();
    for at in 0..dag.vertices.len() {
        let spawn = VertexId(at as u32);
        if dag.vertices[at].kind != VertexKind::Spawn || !is_at_sites(dag, at, coarsening) {
            continue;
        }
        // In a truncated record, what began with something that is missing begins with the program
        // instead. Such an edge is not stealable: it leads to no task.
        let tasks = dag.successors(spawn).iter().skip(1);
        for task in tasks.filter(|task| task.is_stealable()) {
            let first = task.to();
            let last = branches.beginning_with(first).map(|branch| branch.last);
            let sync = last.and_then(|last| dag.successors(last).first());
            if let Some((last, sync)) = last.zip(sync) {
                let sync = sync.to();
                let row = rows.entry((branches.number_of(spawn), sync)).or_default();
                row.push(Task {
                    spawn,
                    first,
                    last,
                    sync,
                });
            }
        }
    }
    for row in rows.values() {
        for merged in row.chunks(coarsening.factor as usize) {
            let Some((last, others)) = merged.split_last().filter(|(_, others)| !others.is_empty())
            else {
                continue;
            };
            for task in merged {
                edges.remove(task.spawn, task.first);
            }
            edges.add(last.spawn, Successor::new(merged[0].first, true));
            for (task, next) in others.iter().zip(&merged[1..]) {
                edges.remove(task.last, task.sync);
                edges.add(task.last, Successor::new(next.first, false));
                subtract(dag, coarsening.cost, &[task.spawn, task.first, task.last]);
            }
        }
    }
}

/// Subtracts `ticks` from `vertices`, one after another, without making a time negative.
fn subtract(dag: &mut Dag, mut ticks: i64, vertices: &[VertexId]) {
    for vertex in vertices {
        let vertex = &mut dag.vertices[vertex.index()];
        let saved = ticks.min(vertex.span.min(vertex.work).max(0));
        vertex.work -= saved;
        vertex.span -= saved;
        vertex.burdened_span -= saved;
        ticks -= saved;
    }
}

fn coarsen_folded(vertex: &mut Vertex, coarsening: Coarsening<'_>) {
    if vertex.tasks == 0 {
        return;
    }
    let leaves = u64::from(vertex.tasks) + 1;
    let remaining = leaves.div_ceil(u64::from(coarsening.factor));
    let tasks = (remaining - 1) as u32;
    let merged_into_one = leaves as f64 / remaining as f64;
    let saved = coarsening.cost * i64::from(vertex.tasks - tasks);
    let work = (vertex.work - saved).max(0);
    let average = vertex.work as f64 / leaves as f64;
    let longer = vertex.span as f64 + (merged_into_one - 1.0) * average;
    let kept = if vertex.work > 0 {
        work as f64 / vertex.work as f64
    } else {
        1.0
    };
    let (span, burdens) = match tasks {
        0 => (work, 0),
        _ => (
            ((longer * kept).round() as i64).min(work),
            vertex.burdened_span - vertex.span,
        ),
    };
    (vertex.work, vertex.span, vertex.tasks) = (work, span, tasks);
    vertex.burdened_span = span + burdens;
}

impl Edges {
    fn remove(&mut self, from: VertexId, to: VertexId) {
        self.removed.push((from, to));
    }

    fn add(&mut self, from: VertexId, to: Successor) {
        self.added.push((from, to));
    }

    /// `dag` with these changes, its vertices sorted again; `None` if the edges form a cycle.
    fn rewrite(mut self, mut dag: Dag) -> Option<Dag> {
        if self.added.is_empty() {
            return Some(dag);
        }
        self.removed.sort_unstable();
        let is_removed = |from: VertexId, to: VertexId| {
            let first = self.removed.partition_point(|(other, _)| *other < from);
            let of_vertex = self.removed[first..].iter();
            let mut of_vertex = of_vertex.take_while(|(other, _)| *other == from);
            of_vertex.any(|(_, other)| *other == to)
        };
        let mut edges = Vec::with_capacity(dag.successors.edges().len());
        for from in (0..dag.vertices.len() as u32).map(VertexId) {
            let kept = dag.successors(from).iter();
            let kept = kept.filter(|successor| !is_removed(from, successor.to()));
            edges.extend(kept.map(|successor| (from, *successor)));
        }
        let are_in_order = self.added.iter().all(|(from, to)| *from < to.to());
        edges.extend(self.added);
        let successors = Successors::new(dag.vertices.len(), &edges);
        for at in 0..dag.vertices.len() {
            let vertex = &mut dag.vertices[at];
            let creates_tasks = successors.of(VertexId(at as u32)).len() > 1;
            if !creates_tasks && matches!(vertex.kind, VertexKind::Spawn | VertexKind::Fork) {
                vertex.kind = VertexKind::Strand;
            }
        }
        if are_in_order {
            dag.successors = successors;
            return Some(dag);
        }
        let order = topological_order(&successors);
        if order.len() < dag.vertices.len() {
            return None;
        }
        let mut place = vec![VertexId(0); order.len()];
        for (at, vertex) in order.iter().enumerate() {
            place[vertex.index()] = VertexId(at as u32);
        }
        dag.vertices = order
            .iter()
            .map(|vertex| Vertex {
                begun_by: place[dag.vertices[vertex.index()].begun_by.index()],
                ..dag.vertices[vertex.index()]
            })
            .collect();
        for (from, to) in &mut edges {
            *from = place[from.index()];
            *to = Successor::new(place[to.to().index()], to.is_stealable());
        }
        dag.successors = Successors::new(dag.vertices.len(), &edges);
        Some(dag)
    }
}

/// The vertices in an order in which each comes after all that it waits for, as close to their old
/// order as possible. Incomplete if there is a cycle.
fn topological_order(successors: &Successors) -> Vec<VertexId> {
    let mut missing = successors.in_degrees();
    let mut ready = BinaryHeap::from([Reverse(VertexId(0))]);
    let mut order = Vec::with_capacity(missing.len());
    while let Some(Reverse(vertex)) = ready.pop() {
        order.push(vertex);
        for successor in successors.of(vertex) {
            let to = successor.to();
            missing[to.index()] -= 1;
            if missing[to.index()] == 0 {
                ready.push(Reverse(to));
            }
        }
    }
    order
}
