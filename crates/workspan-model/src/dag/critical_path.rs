//! Longest paths through the dag.

use super::{Dag, StrandRegionId, Vertex, VertexId, VertexKind};
use crate::{Nanos, Span, Work};

/// Sums over a dag, and its longest paths. Times are in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DagTotals {
    /// Work T₁.
    pub work: i64,
    /// Span T∞.
    pub span: i64,
    /// Burdened span T̂∞: the longest path with the burden on each stealable edge.
    pub burdened_span: i64,
    /// Tasks: edges that a thief can take, and what folded vertices hold.
    pub tasks: u64,
    /// Vertices that are one strand each.
    pub strands: u64,
    /// Vertices that stand for folded subtrees.
    pub folded: u64,
}

/// The longest path through a dag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CriticalPath {
    /// Its length, the span of the dag, in ticks.
    pub span: i64,
    /// Its vertices, from the first to the last of the dag. Of several paths of the same length it is one.
    pub vertices: Vec<VertexId>,
}

/// The part of a strand region in a critical path. Times are in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionOnPath {
    /// The region.
    pub region: StrandRegionId,
    /// What its vertices contribute to the path.
    pub span: i64,
    /// Work of its vertices on the path: more than `span` where they hold parallelism.
    pub work: i64,
    /// How many of them there are.
    pub strands: u64,
    /// The longest strand among them. A folded subtree that holds tasks counts as strands of the average length, its work
    /// divided by 1 and twice its tasks (Cilkview §4). Code that was made parallel has shorter ones, as its span is.
    pub longest: i64,
}

impl Dag {
    /// Sums and longest paths. Takes time proportional to the vertices and edges, and 16 bytes a vertex.
    pub fn totals(&self) -> DagTotals {
        self.totals_with(&mut Vec::new(), Vertex::clone)
    }

    /// The same, were each vertex as `changed` has it; in `room`, so that it can be used again.
    pub(super) fn totals_with(
        &self,
        room: &mut Vec<(i64, i64)>,
        changed: impl Fn(&Vertex) -> Vertex,
    ) -> DagTotals {
        self.walked(room, changed, |_, _| ())
    }

    /// The same; `found` is told of each edge, from where to where, over which a path is longer than all before.
    pub(super) fn walked(
        &self,
        starts: &mut Vec<(i64, i64)>,
        changed: impl Fn(&Vertex) -> Vertex,
        mut found: impl FnMut(VertexId, VertexId),
    ) -> DagTotals {
        let mut totals = DagTotals::default();
        starts.clear();
        starts.resize(self.vertices.len(), (i64::MIN, i64::MIN));
        if let Some(first) = starts.first_mut() {
            *first = (0, 0);
        }
        for (at, vertex) in self.vertices.iter().enumerate() {
            let id = VertexId(at as u32);
            let vertex = changed(vertex);
            totals.work += vertex.work;
            totals.tasks += u64::from(vertex.tasks);
            match vertex.kind {
                VertexKind::Folded => totals.folded += 1,
                _ => totals.strands += 1,
            }
            let (start, burdened_start) = starts[at];
            totals.span = start + vertex.span;
            totals.burdened_span = burdened_start + vertex.burdened_span;
            for successor in self.successors(id) {
                let burden = if successor.is_stealable() {
                    totals.tasks += 1;
                    self.burden
                } else {
                    0
                };
                let next = &mut starts[successor.to().index()];
                if totals.span > next.0 {
                    next.0 = totals.span;
                    found(id, successor.to());
                }
                next.1 = next.1.max(totals.burdened_span + burden);
            }
        }
        totals
    }

    /// The longest path. Takes time proportional to the vertices and edges, and 20 bytes a vertex.
    pub fn critical_path(&self) -> CriticalPath {
        LongestPaths::of(self).with(Vertex::clone).1
    }

    /// What each strand region contributes to `path`, the largest contribution first.
    pub fn regions_on(&self, path: &CriticalPath) -> Vec<RegionOnPath> {
        self.regions_on_with(path, Vertex::clone)
    }

    /// The same, were each vertex as `changed` has it.
    pub(super) fn regions_on_with(
        &self,
        path: &CriticalPath,
        changed: impl Fn(&Vertex) -> Vertex,
    ) -> Vec<RegionOnPath> {
        let mut parts: Vec<RegionOnPath> = (0..self.regions.len() as u32)
            .map(|region| RegionOnPath {
                region: StrandRegionId(region),
                span: 0,
                work: 0,
                strands: 0,
                longest: 0,
            })
            .collect();
        for id in &path.vertices {
            let original = &self.vertices[id.index()];
            let vertex = changed(original);
            let part = &mut parts[vertex.region.index()];
            part.span += vertex.span;
            part.work += vertex.work;
            part.strands += 1;
            let strand = average_strand(original);
            let strand = match original.span > 0 {
                true => i128::from(strand) * i128::from(vertex.span) / i128::from(original.span),
                false => i128::from(strand),
            };
            part.longest = part.longest.max(strand as i64);
        }
        parts.retain(|part| part.strands > 0);
        parts.sort_by_key(|part| (std::cmp::Reverse(part.span), part.region));
        parts
    }

    /// So many ticks as a time.
    pub fn time_of(&self, ticks: i64) -> Nanos {
        Nanos::from_nanos_f64(ticks as f64 * 1e9 / self.ticks_per_second)
    }

    /// A time in ticks.
    pub fn ticks_of(&self, nanos: f64) -> i64 {
        (nanos * self.ticks_per_second / 1e9).round() as i64
    }
}

impl DagTotals {
    /// T₁/T∞; `None` without a span.
    pub fn parallelism(&self) -> Option<f64> {
        ratio(self.work, self.span)
    }

    /// T₁/T̂∞; `None` without a span.
    pub fn burdened_parallelism(&self) -> Option<f64> {
        ratio(self.work, self.burdened_span)
    }
}

/// The strands of a vertex, if all were alike.
fn average_strand(vertex: &Vertex) -> i64 {
    let strands = 1 + 2 * i64::from(vertex.tasks);
    vertex.span.min(vertex.work / strands)
}

/// Longest paths of a dag, of one changed version after another: in memory that is kept.
pub(super) struct LongestPaths<'a> {
    dag: &'a Dag,
    /// Of each vertex, where it begins on the longest path to it and on the longest burdened one.
    starts: Vec<(i64, i64)>,
    /// Of each vertex, the one before it on the longest path.
    before: Vec<VertexId>,
}

impl<'a> LongestPaths<'a> {
    pub(super) fn of(dag: &'a Dag) -> Self {
        Self {
            dag,
            starts: Vec::new(),
            before: vec![VertexId(0); dag.vertices.len()],
        }
    }

    /// Sums and the longest path, were each vertex as `changed` has it.
    pub(super) fn with(
        &mut self,
        changed: impl Fn(&Vertex) -> Vertex,
    ) -> (DagTotals, CriticalPath) {
        let before = &mut self.before;
        let totals = self.dag.walked(&mut self.starts, changed, |from, to| {
            before[to.index()] = from;
        });
        let mut vertices = Vec::new();
        if let Some(last) = self.before.len().checked_sub(1) {
            vertices.push(VertexId(last as u32));
        }
        while let Some(&last) = vertices.last().filter(|last| last.index() > 0) {
            vertices.push(self.before[last.index()]);
        }
        vertices.reverse();
        let span = totals.span;
        (totals, CriticalPath { span, vertices })
    }
}

fn ratio(work: i64, span: i64) -> Option<f64> {
    crate::parallelism(Work::from_nanos(work), Span::from_nanos(span))
}
