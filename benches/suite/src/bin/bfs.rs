//! Breadth-first search of a grid in three dimensions, layer by layer.
//!
//! PBFS (Leiserson and Schardl, SPAA 2010) on Cilkprof's Grid3D200 (Fig. 11 and §8): 8 million
//! vertices, 598 layers. Layers are vectors here, not bags; 128 vertices are visited serially, the
//! size that cured the program in the case study.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;
use workspan_suite::{size, timed, verdict};

const USAGE: &str = "usage: bfs [SIDE]
  SIDE  vertices of the grid in each direction, 1 to 1000 [default: 250]";

/// Vertices that are visited serially.
const GRAIN: usize = 128;

/// The distance of a vertex that the search has not reached.
const UNREACHED: u32 = u32::MAX;

/// A cube of vertices, numbered along x, then y, then z.
#[derive(Clone, Copy)]
struct Grid {
    side: usize,
}

impl Grid {
    fn coordinates(self, vertex: usize) -> [usize; 3] {
        let Grid { side } = self;
        [vertex % side, vertex / side % side, vertex / (side * side)]
    }

    fn neighbours(self, vertex: usize) -> impl Iterator<Item = usize> {
        let strides = [1, self.side, self.side * self.side];
        self.coordinates(vertex)
            .into_iter()
            .zip(strides)
            .flat_map(move |(coordinate, stride)| {
                let before = (coordinate > 0).then(|| vertex - stride);
                let after = (coordinate + 1 < self.side).then(|| vertex + stride);
                before.into_iter().chain(after)
            })
    }
}

/// Sets all distances from vertex 0. Returns the number of layers.
fn search(grid: Grid, distances: &[AtomicU32]) -> u32 {
    distances[0].store(0, Ordering::Relaxed);
    let mut layer = vec![0];
    let mut distance = 0;
    while !layer.is_empty() {
        distance += 1;
        layer = layer
            .par_iter()
            .with_min_len(GRAIN)
            .flat_map_iter(|&vertex| grid.neighbours(vertex))
            .filter(|&vertex| claim(&distances[vertex], distance))
            .collect();
    }
    distance
}

/// Sets a distance that is unset; only one task succeeds. The end of a layer's loop orders its
/// stores before the next layer, so relaxed ordering is enough.
fn claim(own: &AtomicU32, distance: u32) -> bool {
    own.load(Ordering::Relaxed) == UNREACHED
        && own
            .compare_exchange(UNREACHED, distance, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
}

fn main() -> ExitCode {
    let side = size(USAGE, 250, 1..=1_000);
    let grid = Grid { side };
    let distances: Vec<AtomicU32> = (0..side.pow(3))
        .into_par_iter()
        .map(|_| AtomicU32::new(UNREACHED))
        .collect();
    let layers = timed("bfs", || search(grid, &distances));
    let is_right = distances.par_iter().enumerate().all(|(vertex, distance)| {
        let sum: usize = grid.coordinates(vertex).iter().sum();
        distance.load(Ordering::Relaxed) as usize == sum
    });
    verdict(is_right && layers as usize == 3 * side - 2)
}
