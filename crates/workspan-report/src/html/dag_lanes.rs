//! Rows for vertices of a dag, so that none overlap in time.

use workspan_model::{Dag, VertexId};

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
