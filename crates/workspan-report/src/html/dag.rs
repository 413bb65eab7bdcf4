//! The folded task dag, laid out as it would run on unlimited cores.

use serde::Serialize;
use workspan_model::{Code, Dag, Profile, VertexId, parallelism};

use super::number::rounded;
use crate::notation::readable::readable;
use crate::object::object;

/// At most this many vertices are drawn: small subtrees and wide loops are folded until no more are
/// left.
const MOST_VERTICES: usize = 300;

/// `None` if there is nothing to draw.
pub(super) fn dag(profile: &Profile, dag: &Dag) -> Option<impl Serialize> {
    if dag.vertices.is_empty() {
        return None;
    }
    let shape = dag.shape();
    let totals = dag.totals();
    let folded = dag.folded(MOST_VERTICES);
    let starts = folded.earliest_starts();
    let mut is_critical = vec![false; folded.vertices.len()];
    for vertex in folded.critical_path().vertices {
        is_critical[vertex.index()] = true;
    }
    let lane_of = lanes(&folded, &starts, &is_critical);
    let nanos = |ticks| folded.time_of(ticks).shown();
    let code = Code::new(profile, &folded);
    let codes = code.regions.iter();
    let codes = codes.map(|region| readable(&region.words(profile)));
    let places = code.regions.iter().map(|region| {
        let (file, first, _) = region.lines(profile)?;
        Some(format!("{}:{first}", readable(file)))
    });
    let drawn = folded.vertices.iter().enumerate().map(|(at, vertex)| {
        let [own_work, own_span] = [vertex.work, vertex.span].map(|ticks| folded.time_of(ticks));
        object! {
            kind: vertex.kind.name(),
            // Nanoseconds from the program's start, with enough cores.
            start: nanos(starts[at]),
            span: own_span.shown(),
            work: own_work.shown(),
            parallelism: if vertex.work > vertex.span {
                parallelism(own_work.into(), own_span.into()).map(rounded)
            } else {
                None
            },
            tasks: vertex.tasks,
            lane: lane_of[at],
            // An index into the codes.
            code: code.index_of(vertex.region),
            critical: is_critical[at],
        }
    });
    let edges_from = |from: usize| {
        let successors = folded.successors(VertexId(from as u32)).iter();
        successors.map(move |edge| (from, edge.to().index(), edge.is_stealable()))
    };
    let drawn_edges = (0..folded.vertices.len()).flat_map(edges_from);
    Some(object! {
        // The counts of the whole dag.
        vertices: shape.vertices,
        edges: shape.edges,
        strands: totals.strands,
        depth: shape.depth,
        workers: shape.workers,
        // To draw the dag, subtrees of less work were folded.
        grain: nanos(folded.grain),
        span: nanos(totals.span),
        lanes: lane_of.iter().max().map_or(0, |most| most + 1),
        codes: codes.collect::<Vec<_>>(),
        // The file and the line where each code begins, if they are known.
        code_places: places.collect::<Vec<_>>(),
        drawn: drawn.collect::<Vec<_>>(),
        // From which drawn vertex to which, and whether a thief can take the edge.
        drawn_edges: drawn_edges.collect::<Vec<_>>(),
        is_truncated: dag.is_truncated,
    })
}

/// A row for each vertex: the first for the critical path; for others the row of the vertex that
/// they follow if it is free, else the next free one below it, else above it.
pub(super) fn lanes(dag: &Dag, starts: &[i64], is_critical: &[bool]) -> Vec<usize> {
    let mut lanes = vec![0; dag.vertices.len()];
    let mut before: Vec<Option<usize>> = vec![None; dag.vertices.len()];
    for from in 0..dag.vertices.len() {
        for successor in dag.successors(VertexId(from as u32)) {
            before[successor.to().index()].get_or_insert(from);
        }
    }
    let mut order: Vec<usize> = (0..dag.vertices.len()).collect();
    order.sort_by_key(|&at| (starts[at], at));
    // When each row is free again; the first is never.
    let mut free = vec![i64::MAX];
    for at in order.into_iter().filter(|&at| !is_critical[at]) {
        let end = starts[at] + dag.vertices[at].span.max(0);
        let wanted = before[at].map_or(0, |before| lanes[before]);
        let is_free = |lane: &usize| free[*lane] <= starts[at];
        let below = (wanted..free.len()).find(is_free);
        let above = || (1..wanted.min(free.len())).rev().find(is_free);
        let lane = below.or_else(above).unwrap_or(free.len());
        if lane == free.len() {
            free.push(end);
        }
        free[lane] = end;
        lanes[at] = lane;
    }
    lanes
}

#[cfg(test)]
mod tests {
    use workspan_model::example;

    use super::*;

    #[test]
    fn a_dag_without_vertices_has_no_view() {
        let profile = example::quicksort();
        let dag = example::quicksort_dag();
        assert!(super::dag(&profile, &dag).is_some());
        let none = Dag {
            vertices: Vec::new(),
            ..dag
        };
        assert!(super::dag(&profile, &none).is_none());
    }
}

#[cfg(test)]
mod dag_lanes_tests {
    use super::*;
    use workspan_model::example;

    #[test]
    fn nothing_overlaps_and_the_critical_path_is_the_first_row() {
        let dag = example::quicksort_dag();
        let starts = dag.earliest_starts();
        let mut is_critical = vec![false; dag.vertices.len()];
        for vertex in dag.critical_path().vertices {
            is_critical[vertex.index()] = true;
        }
        let lanes = lanes(&dag, &starts, &is_critical);
        for (one, &lane) in lanes.iter().enumerate() {
            assert_eq!(lane == 0, is_critical[one]);
            let end = |at: usize| starts[at] + dag.vertices[at].span;
            let overlaps = |other: usize| {
                lanes[other] == lane && starts[other] < end(one) && starts[one] < end(other)
            };
            assert_eq!(
                (one + 1..lanes.len()).find(|&other| overlaps(other)),
                None,
                "{one}"
            );
        }
    }
}
