//! Breadth-first search of a grid in three dimensions, layer by layer, after PBFS (Cilkprof §8, on
//! its Grid3D200).
//!
//! A layer's vertices are in a bag of nodes, each with a fixed number of vertices. A layer's nodes
//! are processed in parallel, by divide and conquer, each into its own bag, and bags are united on
//! the way up. A node itself is processed serially.
//!
//! A search from a corner of a grid of n³ vertices has 3n - 2 layers of n²/3 vertices on average.
//! Work is Θ(n³). A layer's span is that of one node of k vertices, however many there are, so the
//! whole span is Θ(n k) and the parallelism at most n²/3k: 15 for n = 300 and k = 2048. Cilkview
//! measured 12 for PBFS, not the hundreds that its authors expected.
//!
//! What workspan should show:
//! - a parallelism of about 15 by default, nearly all of the span local to the `join` in
//!   `process_layer`: its leaves, `process_node`, on 898 layers in series. The findings: WS007, too
//!   few tasks (15 or so a layer), and, worth about as much, WS003: layers of one node, freeing the
//!   grid;
//! - `bfs 300 128`, the cure: about the same work, four or five times the parallelism of the
//!   `join`, as in the paper. First and last layers, of one node, and freeing the grid are serial;
//! - a burdened parallelism that then falls behind: a node of 128 vertices takes a few
//!   microseconds, while each layer has a chain of up to eight migrations, 898 times.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use workspan_examples::Arguments;

const USAGE: &str = "usage: bfs [SIDE [NODE_SIZE]]
  SIDE       vertices in each direction, 1 to 1000 [default: 300]
  NODE_SIZE  vertices that are processed serially, 1 to 1000000 [default: 2048]";

/// The distance of a vertex that no search has reached.
const UNREACHED: u32 = u32::MAX;

/// A set of vertices in nodes of equal size; vertices that do not fill a node are in the hopper.
#[derive(Default)]
struct Bag {
    nodes: Vec<Vec<u32>>,
    hopper: Vec<u32>,
}

impl Bag {
    fn insert(&mut self, vertex: u32, node_size: usize) {
        if self.hopper.capacity() == 0 {
            self.hopper.reserve_exact(node_size);
        }
        self.hopper.push(vertex);
        if self.hopper.len() == node_size {
            self.nodes.push(std::mem::take(&mut self.hopper));
        }
    }

    fn unite(mut self, mut other: Bag, node_size: usize) -> Bag {
        if self.nodes.len() < other.nodes.len() {
            std::mem::swap(&mut self.nodes, &mut other.nodes);
        }
        self.nodes.append(&mut other.nodes);
        if self.hopper.len() < other.hopper.len() {
            std::mem::swap(&mut self.hopper, &mut other.hopper);
        }
        for vertex in other.hopper {
            self.insert(vertex, node_size);
        }
        self
    }

    /// All nodes, the hopper as the last.
    fn into_nodes(mut self) -> Vec<Vec<u32>> {
        if !self.hopper.is_empty() {
            self.nodes.push(self.hopper);
        }
        self.nodes
    }
}

/// The vertices of a cube, numbered along x, then y, then z, and the distance of each from the
/// start of the search.
struct Grid {
    side: usize,
    distances: Vec<AtomicU32>,
}

impl Grid {
    fn new(side: usize) -> Self {
        let distances = (0..side * side * side)
            .into_par_iter()
            .map(|_| AtomicU32::new(UNREACHED))
            .collect();
        Grid { side, distances }
    }

    /// Sets the distances of all vertices from `start`. Returns the number of layers.
    fn search(&self, start: u32, node_size: usize) -> u32 {
        self.distances[start as usize].store(0, Ordering::Relaxed);
        let mut nodes = vec![vec![start]];
        let mut distance = 0;
        while !nodes.is_empty() {
            distance += 1;
            nodes = self
                .process_layer(&mut nodes, distance, node_size)
                .into_nodes();
        }
        distance
    }

    /// The vertices first reached from `layer`, which are those at `distance`. Uses up the nodes:
    /// their memory is freed where they are processed, in parallel.
    fn process_layer(&self, layer: &mut [Vec<u32>], distance: u32, node_size: usize) -> Bag {
        if let [node] = layer {
            return self.process_node(std::mem::take(node), distance, node_size);
        }
        let (left, right) = layer.split_at_mut(layer.len() / 2);
        let (left, right) = rayon::join(
            || self.process_layer(left, distance, node_size),
            || self.process_layer(right, distance, node_size),
        );
        left.unite(right, node_size)
    }

    // Not inlined, so that a profile of functions distinguishes it from its caller.
    #[inline(never)]
    fn process_node(&self, node: Vec<u32>, distance: u32, node_size: usize) -> Bag {
        let mut reached = Bag::default();
        for vertex in node {
            self.for_each_neighbour(vertex as usize, |neighbour| {
                if self.claim(neighbour, distance) {
                    reached.insert(neighbour as u32, node_size);
                }
            });
        }
        reached
    }

    /// Sets the distance of a vertex that had none. Layers are separated by joins, which order the
    /// stores of one before the loads of the next; within a layer only one task may claim a vertex,
    /// so relaxed ordering is enough.
    fn claim(&self, vertex: usize, distance: u32) -> bool {
        let own = &self.distances[vertex];
        own.load(Ordering::Relaxed) == UNREACHED
            && own
                .compare_exchange(UNREACHED, distance, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    fn for_each_neighbour(&self, vertex: usize, mut visit: impl FnMut(usize)) {
        let (x, y, z) = self.coordinates(vertex);
        for (coordinate, stride) in [(x, 1), (y, self.side), (z, self.side * self.side)] {
            if coordinate > 0 {
                visit(vertex - stride);
            }
            if coordinate + 1 < self.side {
                visit(vertex + stride);
            }
        }
    }

    fn coordinates(&self, vertex: usize) -> (usize, usize, usize) {
        (
            vertex % self.side,
            vertex / self.side % self.side,
            vertex / (self.side * self.side),
        )
    }

    /// Whether the distances are those from vertex 0, a corner: x + y + z.
    fn is_searched_from_corner(&self) -> bool {
        self.distances
            .par_iter()
            .enumerate()
            .all(|(vertex, distance)| {
                let (x, y, z) = self.coordinates(vertex);
                distance.load(Ordering::Relaxed) as usize == x + y + z
            })
    }
}

fn main() {
    let (side, node_size) = Arguments::read_from_process(USAGE, |arguments| {
        Ok((
            arguments.number("SIDE", 300, 1..=1_000)?,
            arguments.number("NODE_SIZE", 2_048, 1..=1_000_000)?,
        ))
    });
    let grid = Grid::new(side);
    let started = Instant::now();
    let layers = grid.search(0, node_size);
    let elapsed = started.elapsed();
    assert!(grid.is_searched_from_corner(), "a distance is wrong");
    println!(
        "bfs: {} vertices in {layers} layers searched in {:.3} s",
        grid.distances.len(),
        elapsed.as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_from_a_corner_are_sums_of_coordinates() {
        for (side, node_size) in [(1, 1), (2, 1), (10, 3), (30, 64)] {
            let grid = Grid::new(side);
            assert_eq!(grid.search(0, node_size) as usize, 3 * side - 2);
            assert!(grid.is_searched_from_corner());
        }
    }

    #[test]
    fn a_wrong_distance_is_noticed() {
        let grid = Grid::new(10);
        grid.search(1, 64);
        assert!(!grid.is_searched_from_corner());
    }

    #[test]
    fn united_bags_keep_every_vertex_and_full_nodes() {
        let mut left = Bag::default();
        let mut right = Bag::default();
        (0..10).for_each(|vertex| left.insert(vertex, 4));
        (10..33).for_each(|vertex| right.insert(vertex, 4));
        let mut nodes = left.unite(right, 4).into_nodes();
        let last = nodes.pop().unwrap();
        assert_eq!(last.len(), 1);
        assert!(nodes.iter().all(|node| node.len() == 4));
        let mut vertices = nodes.concat();
        vertices.extend(last);
        vertices.sort_unstable();
        assert_eq!(vertices, (0..33).collect::<Vec<_>>());
    }
}
