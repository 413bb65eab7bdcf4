//! Longest paths through the dag.

use std::ops::Range;

use super::{Dag, StrandRegionId, Successor, Vertex, VertexId, VertexKind};
use crate::{Estimate, Nanos, Span, SpeedupBounds, SpeedupLimits, Work};

/// Sums over a dag, and the lengths of its longest paths. Times are in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DagTotals {
    /// Work T₁.
    pub work: i64,
    /// Span T∞.
    pub span: i64,
    /// Burdened span T̂∞: the longest path with the burden on each stealable edge.
    pub burdened_span: i64,
    /// Tasks: stealable edges, and the tasks inside folded vertices.
    pub tasks: u64,
    /// Vertices that are one strand each.
    pub strands: u64,
    /// Vertices that are folded subtrees.
    pub folded: u64,
}

/// The longest path through a dag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CriticalPath {
    /// Its length, the span of the dag, in ticks.
    pub span: i64,
    /// Its vertices, from the first to the last of the dag. If several paths are equally long, this
    /// is one of them.
    pub vertices: Vec<VertexId>,
}

/// What a strand region contributes to a critical path. Times are in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionOnPath {
    /// The region.
    pub region: StrandRegionId,
    /// Span of its vertices on the path.
    pub span: i64,
    /// Work of its vertices on the path; more than `span` if they contain parallelism.
    pub work: i64,
    /// Number of its vertices on the path.
    pub strands: u64,
    /// The longest strand among them. A folded subtree that contains tasks counts as strands of
    /// average length: its work divided by 1 plus twice its tasks (Cilkview §4). Code that was made
    /// parallel has strands that are shorter in proportion to its span.
    pub longest: i64,
}

/// A kind of longest path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Longest {
    Unburdened,
    Burdened,
}

impl Dag {
    /// The sums and the longest paths. Takes time proportional to the vertices and edges, and 16
    /// bytes per vertex.
    pub fn totals(&self) -> DagTotals {
        self.totals_with(&mut Vec::new(), Vertex::clone)
    }

    /// The totals with each vertex replaced by what `changed` makes of it. Reuses the memory of
    /// `buffer`.
    pub(crate) fn totals_with(
        &self,
        buffer: &mut Vec<(i64, i64)>,
        changed: impl Fn(&Vertex) -> Vertex,
    ) -> DagTotals {
        self.walk(0..self.vertices.len(), buffer, changed, |_, _, _| ())
    }

    /// The same of the part of the dag that `range` contains: nothing leads into it but to its
    /// first vertex, and nothing out of it but from its last. Stores in `starts` where each vertex
    /// begins on the longest path to it and on the longest burdened one, and calls
    /// `on_longer(which, from, successor)` for each edge that makes the longest such path to
    /// `successor` so far.
    pub(super) fn walk(
        &self,
        range: Range<usize>,
        starts: &mut Vec<(i64, i64)>,
        changed: impl Fn(&Vertex) -> Vertex,
        mut on_longer: impl FnMut(Longest, VertexId, Successor),
    ) -> DagTotals {
        let mut totals = DagTotals::default();
        starts.clear();
        starts.resize(range.len(), (i64::MIN, i64::MIN));
        if let Some(first) = starts.first_mut() {
            *first = (0, 0);
        }
        for (at, vertex) in self.vertices[range.clone()].iter().enumerate() {
            let id = VertexId((range.start + at) as u32);
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
            if at + 1 == range.len() {
                break;
            }
            for &successor in self.successors(id) {
                totals.tasks += u64::from(successor.is_stealable());
                let next = &mut starts[successor.to().index() - range.start];
                if totals.span > next.0 {
                    next.0 = totals.span;
                    on_longer(Longest::Unburdened, id, successor);
                }
                let burdened_start = totals.burdened_span + successor.burden(self.burden);
                if burdened_start > next.1 {
                    next.1 = burdened_start;
                    on_longer(Longest::Burdened, id, successor);
                }
            }
        }
        totals
    }

    /// The longest path. Takes time proportional to the vertices and edges, and 20 bytes per
    /// vertex.
    pub fn critical_path(&self) -> CriticalPath {
        LongestPaths::new(self).compute(Vertex::clone).1
    }

    /// What each strand region contributes to `path`, the largest contribution first.
    pub fn regions_on(&self, path: &CriticalPath) -> Vec<RegionOnPath> {
        self.regions_on_with(path, Vertex::clone)
    }

    /// The same, with each vertex replaced by what `changed` makes of it.
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
            let mut strand = i128::from(average_strand(original));
            if original.span > 0 {
                strand = strand * i128::from(vertex.span) / i128::from(original.span);
            }
            part.longest = part.longest.max(strand as i64);
        }
        parts.retain(|part| part.strands > 0);
        parts.sort_by_key(|part| (std::cmp::Reverse(part.span), part.region));
        parts
    }

    /// Converts ticks to a time.
    pub fn time_of(&self, ticks: i64) -> Nanos {
        Nanos::from_nanos_f64(ticks as f64 * 1e9 / self.ticks_per_second)
    }

    /// Converts nanoseconds to ticks.
    pub fn ticks_of(&self, nanos: f64) -> i64 {
        (nanos * self.ticks_per_second / 1e9).round() as i64
    }
}

impl DagTotals {
    /// T₁/T∞; `None` if there is no span to divide by.
    pub fn parallelism(&self) -> Option<f64> {
        ratio(self.work, self.span)
    }

    /// T₁/T̂∞; `None` if there is no burdened span to divide by.
    pub fn burdened_parallelism(&self) -> Option<f64> {
        ratio(self.work, self.burdened_span)
    }

    /// Bounds on the speedup if locks allow no more than `most`.
    pub(crate) fn bounds_at_most(&self, cores: u32, most: Estimate<f64>) -> SpeedupBounds {
        let work = self.work.max(1) as f64;
        let parallelism = |span: i64| Estimate::exactly(work / span.max(1) as f64);
        let limits = SpeedupLimits::new(
            parallelism(self.span).at_most(most),
            parallelism(self.burdened_span).in_series_with(most),
        );
        limits.on(cores)
    }
}

/// The length of a vertex's strands, if all were equally long.
fn average_strand(vertex: &Vertex) -> i64 {
    let strands = 1 + 2 * i64::from(vertex.tasks);
    vertex.span.min(vertex.work / strands)
}

/// Computes the longest paths of a dag for one change of its vertices after another, in memory that
/// it reuses.
pub(super) struct LongestPaths<'a> {
    dag: &'a Dag,
    /// For each vertex, where it begins on the longest path to it and on the longest burdened one.
    starts: Vec<(i64, i64)>,
    /// For each vertex, the one before it on the longest path.
    before: Vec<VertexId>,
}

impl<'a> LongestPaths<'a> {
    pub(super) fn new(dag: &'a Dag) -> Self {
        Self {
            dag,
            starts: Vec::new(),
            before: vec![VertexId(0); dag.vertices.len()],
        }
    }

    /// The sums and the longest path with each vertex replaced by what `changed` makes of it.
    pub(super) fn compute(
        &mut self,
        changed: impl Fn(&Vertex) -> Vertex,
    ) -> (DagTotals, CriticalPath) {
        let before = &mut self.before;
        let on_longer = |which: Longest, from: VertexId, successor: Successor| {
            if which == Longest::Unburdened {
                before[successor.to().index()] = from;
            }
        };
        let whole = 0..self.dag.vertices.len();
        let totals = self.dag.walk(whole, &mut self.starts, changed, on_longer);
        let last = self.before.len().checked_sub(1);
        let before = |at: &usize| (*at > 0).then(|| self.before[*at].index());
        let path = std::iter::successors(last, before);
        let mut vertices: Vec<VertexId> = path.map(|at| VertexId(at as u32)).collect();
        vertices.reverse();
        let span = totals.span;
        (totals, CriticalPath { span, vertices })
    }
}

fn ratio(work: i64, span: i64) -> Option<f64> {
    crate::parallelism(Work::from_nanos(work), Span::from_nanos(span))
}

impl Dag {
    /// The time that each of the `nodes` nodes of the call tree contributes to the longest burdened
    /// path. The times add up to the burdened span. The burden of an edge counts for the node of
    /// the task behind it, and a folded subtree for the node at which it begins.
    ///
    /// # Panics
    /// If the dag belongs to a call tree of more nodes.
    pub fn burdened_path_by_node(&self, nodes: usize) -> Vec<Span> {
        let mut before = vec![(VertexId(0), 0); self.vertices.len()];
        let on_longer = |which: Longest, from: VertexId, successor: Successor| {
            if which == Longest::Burdened {
                before[successor.to().index()] = (from, successor.burden(self.burden));
            }
        };
        let whole = 0..self.vertices.len();
        self.walk(whole, &mut Vec::new(), Vertex::clone, on_longer);
        let mut ticks = vec![0; nodes];
        let mut next = self.vertices.len().checked_sub(1);
        while let Some(at) = next {
            let vertex = &self.vertices[at];
            let (previous, burden) = before[at];
            let node = self.regions[vertex.region.index()].node;
            ticks[node.index()] += vertex.burdened_span + burden;
            next = (at > 0).then(|| previous.index());
        }
        let time = |ticks| self.time_of(ticks).into();
        ticks.into_iter().map(time).collect()
    }

    /// The earliest time at which each vertex can begin with enough cores and no burden, in ticks
    /// from the program's start. It is the length of the longest path to the vertex.
    pub fn earliest_starts(&self) -> Vec<i64> {
        let mut starts = Vec::new();
        self.totals_with(&mut starts, Vertex::clone);
        starts.into_iter().map(|(start, _)| start).collect()
    }
}
