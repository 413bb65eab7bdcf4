//! The folded task dag, laid out as it would run on any number of cores.

use serde::Serialize;
use workspan_model::{Code, Dag, DagShape, Profile, Vertex, VertexId, parallelism};

use super::dag_lanes::lanes;
use super::number::rounded;
use crate::readable::readable;

/// So many vertices are drawn; small subtrees and wide loops are folded into one until there are no more.
const MOST_VERTICES: usize = 300;

#[derive(Serialize)]
pub(super) struct DagView {
    /// Of the whole dag.
    vertices: u64,
    edges: u64,
    strands: u64,
    depth: u64,
    workers: u64,
    /// What was folded to draw it: what is of less work.
    grain: u64,
    span: u64,
    lanes: usize,
    codes: Vec<String>,
    /// Of each code, the file and the line at which it begins, where these are known.
    code_places: Vec<Option<String>>,
    drawn: Vec<VertexView>,
    /// From which drawn vertex to which, and whether a thief can take it.
    drawn_edges: Vec<(usize, usize, bool)>,
    is_truncated: bool,
}

#[derive(Serialize)]
struct VertexView {
    kind: &'static str,
    /// Nanoseconds from the program's start, were there enough cores.
    start: u64,
    span: u64,
    work: u64,
    parallelism: Option<f64>,
    tasks: u32,
    lane: usize,
    /// An index into the codes.
    code: usize,
    critical: bool,
}

impl DagView {
    /// `None` where there is nothing to draw.
    pub(super) fn of(profile: &Profile, dag: &Dag) -> Option<Self> {
        if dag.vertices.is_empty() {
            return None;
        }
        let DagShape {
            vertices,
            edges,
            depth,
            workers,
            ..
        } = dag.shape();
        let totals = dag.totals();
        let folded = dag.folded(MOST_VERTICES);
        let starts = folded.earliest_starts();
        let mut is_critical = vec![false; folded.vertices.len()];
        for vertex in folded.critical_path().vertices {
            is_critical[vertex.index()] = true;
        }
        let lanes = lanes(&folded, &starts, &is_critical);
        let nanos = |ticks| folded.time_of(ticks).shown();
        let code = Code::of(profile, &folded);
        let codes = code.regions.iter();
        let codes = codes.map(|region| readable(&region.words(profile)));
        let places = code.regions.iter().map(|region| {
            let (file, first, _) = region.lines(profile)?;
            Some(format!("{}:{first}", readable(file)))
        });
        let view = |(at, vertex): (usize, &Vertex)| {
            let [work, span] = [vertex.work, vertex.span].map(|ticks| folded.time_of(ticks));
            VertexView {
                kind: vertex.kind.name(),
                start: nanos(starts[at]),
                span: span.shown(),
                work: work.shown(),
                parallelism: match vertex.work > vertex.span {
                    true => parallelism(work.into(), span.into()).map(rounded),
                    false => None,
                },
                tasks: vertex.tasks,
                lane: lanes[at],
                code: code.index_of(vertex.region),
                critical: is_critical[at],
            }
        };
        let edges_from = |from: usize| {
            let successors = folded.successors(VertexId(from as u32)).iter();
            successors.map(move |edge| (from, edge.to().index(), edge.is_stealable()))
        };
        Some(Self {
            vertices,
            edges,
            strands: totals.strands,
            depth,
            workers,
            grain: nanos(folded.grain),
            span: nanos(totals.span),
            lanes: lanes.iter().max().map_or(0, |most| most + 1),
            codes: codes.collect(),
            code_places: places.collect(),
            drawn: folded.vertices.iter().enumerate().map(view).collect(),
            drawn_edges: (0..folded.vertices.len()).flat_map(edges_from).collect(),
            is_truncated: dag.is_truncated,
        })
    }
}

#[cfg(test)]
mod tests {
    use workspan_model::example;

    use super::*;

    #[test]
    fn a_dag_without_vertices_has_no_view() {
        let profile = example::quicksort();
        let dag = example::quicksort_dag();
        assert!(DagView::of(&profile, &dag).is_some());
        let none = Dag {
            vertices: Vec::new(),
            ..dag
        };
        assert!(DagView::of(&profile, &none).is_none());
    }
}
