//! A maximal independent set of a graph: no two neighbours, and no vertex could be added.
//!
//! Blelloch, Fineman and Shun, "Greedy sequential maximal independent set and matching are
//! parallel on average" (SPAA 2012), as in the Problem Based Benchmark Suite that TaskProf
//! profiles (Table 6.1). Vertices have a random order; each round decides those whose earlier
//! neighbours are decided. The set is that of the serial greedy algorithm.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;
use workspan_suite::{Xorshift, random_numbers, size, timed, verdict};

const USAGE: &str = "usage: mis [VERTICES]
  VERTICES  of a random graph of degree 10, 100 to 100000000 [default: 8000000]";

const UNDECIDED: u8 = 0;
const IN: u8 = 1;
const OUT: u8 = 2;

/// A circulant graph: `v` is a neighbour of `v` + s and of `v` - s for five random s. It needs no
/// memory, and its neighbours are as far apart as those of any random graph.
struct Graph {
    vertices: usize,
    steps: [usize; 5],
}

impl Graph {
    fn random(vertices: usize) -> Self {
        let mut random = Xorshift::new(1);
        let steps = [0; 5].map(|_| 1 + random.below(vertices as u64 - 1) as usize);
        Graph { vertices, steps }
    }

    fn neighbours(&self, vertex: usize) -> impl Iterator<Item = usize> {
        self.steps.into_iter().flat_map(move |step| {
            [
                (vertex + step) % self.vertices,
                (vertex + self.vertices - step) % self.vertices,
            ]
        })
    }
}

/// Decides all vertices. A state only ever changes from undecided, and a task that reads one too
/// early reads it again in the next round, so relaxed ordering is enough.
fn maximal_independent_set(graph: &Graph, order: &[u64]) -> Vec<AtomicU8> {
    let states: Vec<AtomicU8> = (0..graph.vertices)
        .into_par_iter()
        .map(|_| AtomicU8::new(UNDECIDED))
        .collect();
    let mut undecided: Vec<usize> = (0..graph.vertices).into_par_iter().collect();
    while !undecided.is_empty() {
        undecided = undecided
            .into_par_iter()
            .filter(|&vertex| {
                let state = decide(graph, order, &states, vertex);
                states[vertex].store(state, Ordering::Relaxed);
                state == UNDECIDED
            })
            .collect();
    }
    states
}

/// Out if an earlier neighbour is in, in if all earlier ones are out.
fn decide(graph: &Graph, order: &[u64], states: &[AtomicU8], vertex: usize) -> u8 {
    let is_earlier = |&other: &usize| (order[other], other) < (order[vertex], vertex);
    let mut state = IN;
    for earlier in graph.neighbours(vertex).filter(is_earlier) {
        match states[earlier].load(Ordering::Relaxed) {
            IN => return OUT,
            UNDECIDED => state = UNDECIDED,
            _ => {}
        }
    }
    state
}

/// Whether each vertex is in, or has a neighbour that is, but not both.
fn is_maximal_independent(graph: &Graph, states: &[AtomicU8]) -> bool {
    let is_in = |vertex: usize| states[vertex].load(Ordering::Relaxed) == IN;
    (0..graph.vertices)
        .into_par_iter()
        .all(|vertex| is_in(vertex) != graph.neighbours(vertex).any(is_in))
}

fn main() -> ExitCode {
    let graph = Graph::random(size(USAGE, 8_000_000, 100..=100_000_000));
    let order = random_numbers(graph.vertices, 2);
    let states = timed("mis", || maximal_independent_set(&graph, &order));
    verdict(is_maximal_independent(&graph, &states))
}
