//! The figures reported for a dag, as recorded or with changes.

use super::critical_path::LongestPaths;
use super::{Code, Dag, RegionOnPath, Vertex};
use crate::{Nanos, Span, Work};

/// The figures reported for a dag.
#[derive(Clone, Debug, PartialEq)]
pub struct DagFigures {
    /// Work T₁.
    pub work: Work,
    /// Span T∞.
    pub span: Span,
    /// Burdened span T̂∞.
    pub burdened_span: Span,
    /// Parallelism T₁/T∞; 1 if the span is not positive.
    pub parallelism: f64,
    /// Burdened parallelism T₁/T̂∞; 1 if the burdened span is not positive.
    pub burdened_parallelism: f64,
    /// Number of tasks.
    pub tasks: u64,
    /// The code on the critical path, the largest share first.
    pub path: Vec<CodeOnPath>,
}

/// A piece of code on the critical path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodeOnPath {
    /// The code, as an index into [`Code::regions`].
    pub code: usize,
    /// Time of its strands on the path.
    pub span: Span,
    /// `span` as a share of the whole path.
    pub share: f64,
    /// Number of its strands on the path. A folded subtree counts as one.
    pub strands: u64,
    /// Length of the longest of them. A folded subtree counts with its average strand.
    pub longest: Nanos,
    /// Work of all its strands, on the path and off it.
    pub work: Work,
}

impl DagFigures {
    /// The figures of `dag`, whose code is `code`.
    ///
    /// # Panics
    /// If the dag is invalid, or `code` belongs to another dag.
    pub fn new(dag: &Dag, code: &Code) -> Self {
        Self::with(&mut LongestPaths::new(dag), dag, code, Vertex::clone)
    }

    /// The figures of `dag` with each vertex replaced by what `changed` makes of it. `longest` must
    /// be of the same dag.
    pub(super) fn with(
        longest: &mut LongestPaths<'_>,
        dag: &Dag,
        code: &Code,
        changed: impl Fn(&Vertex) -> Vertex,
    ) -> Self {
        let (totals, path) = longest.compute(&changed);
        let parts = code_on_path(code, &dag.regions_on_with(&path, &changed));
        let work = work_by_code(dag, code, changed);
        let time = |ticks| dag.time_of(ticks);
        let part = |(index, part): &(usize, RegionOnPath)| CodeOnPath {
            code: *index,
            span: time(part.span).into(),
            share: part.span.max(0) as f64 / path.span.max(1) as f64,
            strands: part.strands,
            longest: time(part.longest),
            work: time(work[*index]).into(),
        };
        Self {
            work: time(totals.work).into(),
            span: time(totals.span).into(),
            burdened_span: time(totals.burdened_span).into(),
            parallelism: totals.parallelism().unwrap_or(1.0),
            burdened_parallelism: totals.burdened_parallelism().unwrap_or(1.0),
            tasks: totals.tasks,
            path: parts.iter().map(part).collect(),
        }
    }
}

/// Adds up the strand regions on a path by the piece of code that they belong to. Each sum comes
/// with the index of its piece in [`Code::regions`]; its `region` is that of the first part. The
/// largest span comes first.
pub(super) fn code_on_path(code: &Code, parts: &[RegionOnPath]) -> Vec<(usize, RegionOnPath)> {
    let mut sums: Vec<Option<RegionOnPath>> = vec![None; code.regions.len()];
    for part in parts {
        let sum = &mut sums[code.index_of(part.region)];
        *sum = Some(match *sum {
            None => *part,
            Some(sum) => RegionOnPath {
                span: sum.span + part.span,
                work: sum.work + part.work,
                strands: sum.strands + part.strands,
                longest: sum.longest.max(part.longest),
                ..sum
            },
        });
    }
    let sums = sums.into_iter().enumerate();
    let mut sums: Vec<_> = sums
        .filter_map(|(index, sum)| Some((index, sum?)))
        .collect();
    sums.sort_by_key(|(index, sum)| (std::cmp::Reverse(sum.span), *index));
    sums
}

/// Work of each piece of code in ticks, indexed as [`Code::regions`].
fn work_by_code(dag: &Dag, code: &Code, changed: impl Fn(&Vertex) -> Vertex) -> Vec<i64> {
    let mut work = vec![0; code.regions.len()];
    for vertex in &dag.vertices {
        work[code.index_of(vertex.region)] += changed(vertex).work;
    }
    work
}
