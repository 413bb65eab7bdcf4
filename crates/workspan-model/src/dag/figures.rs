//! What is told of a dag, as a program it is or would be.

use super::critical_path::LongestPaths;
use super::{Code, CriticalPath, Dag, DagTotals, RegionOnPath, Vertex};
use crate::{Nanos, Span, Work};

/// What is told of a dag.
#[derive(Clone, Debug, PartialEq)]
pub struct DagFigures {
    /// Work T₁.
    pub work: Work,
    /// Span T∞.
    pub span: Span,
    /// Burdened span T̂∞.
    pub burdened_span: Span,
    /// T₁/T∞; 1 for a dag without span.
    pub parallelism: f64,
    /// T₁/T̂∞; 1 for a dag without span.
    pub burdened_parallelism: f64,
    /// Tasks.
    pub tasks: u64,
    /// What the critical path is made of, the largest share first.
    pub path: Vec<CodeOnPath>,
}

/// The part of some code in the critical path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodeOnPath {
    /// The code, as an index into [`Code::regions`].
    pub code: usize,
    /// What it contributes.
    pub span: Span,
    /// It, as a share of the whole path.
    pub share: f64,
    /// How many of its strands lie on the path, folded subtrees counting as one.
    pub strands: u64,
    /// The longest of them.
    pub longest: Nanos,
    /// The work of all of its strands, on the path or off it.
    pub work: Work,
}

impl DagFigures {
    /// The figures of `dag`.
    pub fn of(dag: &Dag, code: &Code) -> Self {
        Self::with(&mut LongestPaths::of(dag), dag, code, Vertex::clone)
    }

    /// The same, were each vertex as `changed` has it.
    pub(super) fn with(
        longest: &mut LongestPaths<'_>,
        dag: &Dag,
        code: &Code,
        changed: impl Fn(&Vertex) -> Vertex,
    ) -> Self {
        let (totals, path) = longest.with(&changed);
        let parts = dag.regions_on_with(&path, &changed);
        Self::from(
            dag,
            &totals,
            &path,
            on_path(code, &parts),
            &work_of(dag, code, changed),
        )
    }

    fn from(
        dag: &Dag,
        totals: &DagTotals,
        path: &CriticalPath,
        parts: Vec<(usize, RegionOnPath)>,
        work: &[i64],
    ) -> Self {
        let time = |ticks| dag.time_of(ticks);
        let part = |(code, part): &(usize, RegionOnPath)| CodeOnPath {
            code: *code,
            span: time(part.span).into(),
            share: part.span.max(0) as f64 / path.span.max(1) as f64,
            strands: part.strands,
            longest: time(part.longest),
            work: time(work[*code]).into(),
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

/// What pieces of code contribute to a path, the largest contribution first.
pub(super) fn on_path(code: &Code, parts: &[RegionOnPath]) -> Vec<(usize, RegionOnPath)> {
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
    let mut sums: Vec<_> = sums.filter_map(|(code, sum)| Some((code, sum?))).collect();
    sums.sort_by_key(|(code, sum)| (std::cmp::Reverse(sum.span), *code));
    sums
}

/// Of each piece of code, its work.
fn work_of(dag: &Dag, code: &Code, changed: impl Fn(&Vertex) -> Vertex) -> Vec<i64> {
    let mut of_region = vec![0; dag.regions.len()];
    for vertex in &dag.vertices {
        of_region[vertex.region.index()] += changed(vertex).work;
    }
    let mut work = vec![0; code.regions.len()];
    for (region, ticks) in (0..).map(super::StrandRegionId).zip(of_region) {
        work[code.index_of(region)] += ticks;
    }
    work
}
