//! Longest paths, compared with those found by walking every path.

use proptest::prelude::*;
use workspan_model::{Dag, VertexId};

use crate::random_dag::{dags, shapeless_dags};

/// If there are more paths than this, they are not walked.
pub const MOST_PATHS: u64 = 50_000;

/// The number of paths.
pub fn paths(dag: &Dag) -> u64 {
    let mut ways = vec![0_u64; dag.vertices.len()];
    ways[0] = 1;
    for from in 0..dag.vertices.len() {
        for successor in dag.successors(VertexId(from as u32)) {
            let to = successor.to().index();
            ways[to] = ways[to].saturating_add(ways[from]);
        }
    }
    *ways.last().unwrap()
}

/// Span and burdened span from `at` on, by walking every path.
pub fn longest_from(dag: &Dag, at: VertexId) -> (i64, i64) {
    let vertex = &dag.vertices[at.index()];
    let rest = dag.successors(at).iter().map(|successor| {
        let (span, burdened) = longest_from(dag, successor.to());
        let burden = if successor.is_stealable() {
            dag.burden
        } else {
            0
        };
        (span, burdened + burden)
    });
    let longest = rest.reduce(|one, other| (one.0.max(other.0), one.1.max(other.1)));
    let (span, burdened) = longest.unwrap_or((0, 0));
    (vertex.span + span, vertex.burdened_span + burdened)
}

fn check(dag: &Dag) -> Result<(), TestCaseError> {
    prop_assume!(paths(dag) <= MOST_PATHS);
    let (span, burdened_span) = longest_from(dag, VertexId(0));
    let totals = dag.totals();
    prop_assert_eq!(totals.span, span);
    prop_assert_eq!(totals.burdened_span, burdened_span);
    prop_assert_eq!(
        totals.work,
        dag.vertices.iter().map(|vertex| vertex.work).sum::<i64>()
    );
    let path = dag.critical_path();
    prop_assert_eq!(path.span, span);
    prop_assert_eq!(path.vertices[0], VertexId(0));
    prop_assert_eq!(
        path.vertices.last().unwrap().index(),
        dag.vertices.len() - 1
    );
    for step in path.vertices.windows(2) {
        let next = dag.successors(step[0]).iter();
        prop_assert!(next.clone().any(|successor| successor.to() == step[1]));
    }
    let parts = dag.regions_on(&path);
    prop_assert_eq!(parts.iter().map(|part| part.span).sum::<i64>(), span);
    Ok(())
}

proptest! {
    #[test]
    fn longest_paths_of_programs_are_those_found_by_walking_all(dag in dags(40)) {
        check(&dag)?;
    }

    #[test]
    fn longest_paths_of_any_dag_are_those_found_by_walking_all(dag in shapeless_dags(14)) {
        check(&dag)?;
    }
}
