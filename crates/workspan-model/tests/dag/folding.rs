//! Folded dags are smaller and have the same measures.

use proptest::prelude::*;
use workspan_model::{Dag, VertexId, VertexKind};

use crate::random_dag::Statement::{Join, Scope, Spawn, Strand};
use crate::random_dag::{Block, SITES, dag_of, dags, shapeless_dags};

fn measures(dag: &Dag) -> (i64, i64, i64, u64) {
    let totals = dag.totals();
    (totals.work, totals.span, totals.burdened_span, totals.tasks)
}

fn check(dag: &Dag, most: usize) -> Dag {
    let folded = dag.folded(most);
    assert_eq!(folded.check(SITES as usize, SITES as usize), Ok(()));
    assert_eq!(measures(&folded), measures(dag));
    assert!(folded.vertices.len() <= most.max(1), "{most}");
    folded
}

#[test]
fn a_small_dag_stays_as_it_is() {
    let dag = dag_of(&[Strand(5), Join(1, vec![Strand(7)], vec![])]);
    assert_eq!(check(&dag, dag.vertices.len()), dag);
}

#[test]
fn small_joins_are_folded_first() {
    let join = |ticks| Join(1, vec![Strand(ticks)], vec![Strand(ticks)]);
    let dag = dag_of(&[join(10), Strand(3), join(100_000), Strand(4), join(10)]);
    let forks = |dag: &Dag| {
        let forks = dag.vertices.iter();
        forks
            .filter(|vertex| vertex.kind == VertexKind::Fork)
            .count()
    };
    assert_eq!(forks(&dag), 3);
    let folded = check(&dag, 10);
    assert_eq!(forks(&folded), 1);
    assert!(folded.grain < 100_000);
    assert_eq!(check(&dag, 1).vertices[0].kind, VertexKind::Folded);
}

fn spawning(tasks: i64) -> Block {
    let task = |ticks: i64| [Strand(20), Spawn(2, vec![Strand(1_000 + ticks)])];
    vec![Scope(1, (0..tasks).flat_map(task).collect())]
}

/// Of a thousand similar tasks, some are left, each of which stands for the same number.
#[test]
fn tasks_of_a_row_are_folded_evenly() {
    let dag = dag_of(&spawning(1_000));
    let folded = check(&dag, 100);
    let spawns = folded.shape().spawns;
    assert!((20..50).contains(&spawns), "{spawns}");
    for (at, vertex) in folded.vertices.iter().enumerate() {
        if vertex.kind == VertexKind::Spawn {
            let [next, task] = folded.successors(VertexId(at as u32)) else {
                panic!("a spawn has two successors");
            };
            assert!(!next.is_stealable() && task.is_stealable());
        }
    }
    let tasks = folded.vertices.iter().map(|vertex| vertex.tasks + 1).max();
    assert!((20..80).contains(&tasks.unwrap()), "{tasks:?}");
}

#[test]
fn shapes_are_counted() {
    let dag = dag_of(&[
        Strand(5),
        Join(1, vec![Join(2, vec![Strand(1)], vec![])], vec![Strand(7)]),
        Scope(3, vec![Spawn(4, vec![Strand(9)])]),
    ]);
    let shape = dag.shape();
    assert_eq!((shape.forks, shape.spawns, shape.syncs), (2, 1, 4));
    assert_eq!(shape.vertices, dag.vertices.len() as u64);
    assert_eq!(shape.edges, dag.successors.edges().len() as u64);
    assert_eq!((shape.stealable, shape.steals, shape.workers), (3, 0, 1));
    assert_eq!(shape.depth, 2);
    let kinds = shape.strands + shape.forks + shape.spawns + shape.syncs + shape.folded;
    assert_eq!(kinds, shape.vertices);
    let mut stolen = dag.clone();
    let last = stolen.vertices.len() - 1;
    let fork = stolen
        .vertices
        .iter()
        .position(|vertex| vertex.kind == VertexKind::Fork);
    let right = stolen.successors(VertexId(fork.unwrap() as u32))[1].to();
    stolen.vertices[right.index()].worker = 3;
    stolen.vertices[last].worker = 3;
    assert_eq!((stolen.shape().steals, stolen.shape().workers), (1, 2));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn programs_keep_their_measures(dag in dags(60), most in 0..80_usize) {
        check(&dag, most);
    }

    #[test]
    fn dags_of_any_shape_keep_their_measures(dag in shapeless_dags(40), most in 0..40_usize) {
        check(&dag, most);
    }
}
