//! K-means clustering (Lloyd's algorithm) with its two steps as named regions, one of them serial.
//!
//! Each round assigns every point to the nearest centre, in parallel, and moves every centre to the
//! mean of its points, serially by default. For n points and k centres the first step is Θ(nk) work
//! on a span of Θ(k), the second Θ(n) of both: the parallelism is O(k), whatever n is.
//!
//! What workspan should show:
//! - the region `assign` with a parallelism of at least ten or so, once for each round;
//! - the region `move` with a parallelism of 1 and nearly all of the span of the rounds: the
//!   program needs a parallel reduction. The finding is WS003, serial code; with that reduction,
//!   `kmeans 2000000 10 parallel`, there is none;
//! - with `--instances`, rounds that are all alike.
//!
//! A normal build has nothing of the regions in it.

use rayon::prelude::*;
use std::time::Instant;
use workspan_examples::{Arguments, random_numbers};

const USAGE: &str = "usage: kmeans [COUNT [ROUNDS [MOVE]]]
  COUNT   how many points to cluster, 1 to 100000000 [default: 2000000]
  ROUNDS  how often to move the centres, 1 to 1000 [default: 10]
  MOVE    how to sum up the points of each centre: serial or parallel [default: serial]";

/// Number of clusters.
const CLUSTERS: usize = 16;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Point {
    x: f32,
    y: f32,
}

impl Point {
    /// The point for a random number: each half of the number is a coordinate from 0 to 1.
    fn of(number: u64) -> Self {
        let coordinate = |half: u64| (half >> 8) as f32 / (1 << 24) as f32;
        Self {
            x: coordinate(number >> 32),
            y: coordinate(number & 0xffff_ffff),
        }
    }

    fn squared_distance(self, other: Self) -> f32 {
        let (x, y) = (self.x - other.x, self.y - other.y);
        x * x + y * y
    }

    /// Index of the nearest of `centres`, the first of several.
    fn nearest(self, centres: &[Point]) -> usize {
        let mut nearest = (0, f32::INFINITY);
        for (index, &centre) in centres.iter().enumerate() {
            let distance = self.squared_distance(centre);
            if distance < nearest.1 {
                nearest = (index, distance);
            }
        }
        nearest.0
    }
}

fn assign(points: &[Point], centres: &[Point], clusters: &mut [u32]) {
    let _region = workspan::region("assign");
    points
        .par_iter()
        .zip(clusters)
        .for_each(|(point, cluster)| *cluster = point.nearest(centres) as u32);
}

/// For each cluster the number of points and the sums of their coordinates.
type Sums = [(u32, f64, f64); CLUSTERS];

fn sums(points: &[Point], clusters: &[u32]) -> Sums {
    let mut sums = Sums::default();
    for (point, &cluster) in points.iter().zip(clusters) {
        let (count, x, y) = &mut sums[cluster as usize];
        *count += 1;
        *x += f64::from(point.x);
        *y += f64::from(point.y);
    }
    sums
}

fn sums_in_parallel(points: &[Point], clusters: &[u32]) -> Sums {
    /// Points that are summed up serially.
    const BLOCK: usize = 1 << 12;
    let blocks = points.par_chunks(BLOCK).zip(clusters.par_chunks(BLOCK));
    blocks
        .map(|(points, clusters)| sums(points, clusters))
        .reduce(Sums::default, |mut left, right| {
            for (left, right) in left.iter_mut().zip(right) {
                *left = (left.0 + right.0, left.1 + right.1, left.2 + right.2);
            }
            left
        })
}

/// A way to sum up points.
type Summing = fn(&[Point], &[u32]) -> Sums;

/// A centre without points stays where it is.
fn move_centres(points: &[Point], clusters: &[u32], centres: &mut [Point], summing: Summing) {
    let _region = workspan::region("move");
    for (centre, (count, x, y)) in centres.iter_mut().zip(summing(points, clusters)) {
        if count > 0 {
            let mean = |sum: f64| (sum / f64::from(count)) as f32;
            *centre = Point {
                x: mean(x),
                y: mean(y),
            };
        }
    }
}

/// The centres after some rounds, which start at the first points.
fn cluster(points: &[Point], rounds: usize, summing: Summing) -> Vec<Point> {
    let mut centres: Vec<Point> = points.iter().copied().take(CLUSTERS).collect();
    let mut clusters = vec![0; points.len()];
    for _ in 0..rounds {
        assign(points, &centres, &mut clusters);
        move_centres(points, &clusters, &mut centres, summing);
    }
    centres
}

fn random_points(count: usize) -> Vec<Point> {
    let numbers = random_numbers(count, 7);
    numbers.into_par_iter().map(Point::of).collect()
}

fn main() {
    let (count, rounds, summing) = Arguments::read_from_process(USAGE, |arguments| {
        let count = arguments.number("COUNT", 2_000_000, 1..=100_000_000)?;
        let rounds = arguments.number("ROUNDS", 10, 1..=1_000)?;
        let ways: [(_, Summing); 2] = [("serial", sums), ("parallel", sums_in_parallel)];
        Ok((count, rounds, arguments.choice_or("MOVE", &ways, sums)?))
    });
    let points = random_points(count);
    let start = Instant::now();
    let centres = cluster(&points, rounds, summing);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "kmeans: {count} points in {} clusters after {rounds} rounds in {seconds:.3} s",
        centres.len()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of the squared distances to the nearest centre, which no round increases.
    fn cost(points: &[Point], centres: &[Point]) -> f64 {
        let nearest = |point: &Point| point.squared_distance(centres[point.nearest(centres)]);
        points.iter().map(|point| f64::from(nearest(point))).sum()
    }

    #[test]
    fn every_round_brings_the_centres_nearer() {
        let points = random_points(20_000);
        let costs: Vec<f64> = (0..6)
            .map(|rounds| cost(&points, &cluster(&points, rounds, sums)))
            .collect();
        assert!(
            costs.is_sorted_by(|before, after| after < before),
            "{costs:?}"
        );
    }

    #[test]
    fn clusters_that_lie_apart_are_found() {
        // The first points are one of each cluster.
        let corner = |index: usize| Point {
            x: (index % 4) as f32 * 100.0,
            y: (index / 4) as f32 * 100.0,
        };
        let points: Vec<Point> = (0..1_600)
            .map(|index| {
                let shift = if (index / CLUSTERS).is_multiple_of(2) {
                    -1.0
                } else {
                    1.0
                };
                let Point { x, y } = corner(index % CLUSTERS);
                Point { x: x + shift, y }
            })
            .collect();
        let expected: Vec<Point> = (0..CLUSTERS).map(corner).collect();
        for summing in [sums, sums_in_parallel] {
            assert_eq!(cluster(&points, 3, summing), expected);
        }
    }

    #[test]
    fn fewer_points_than_clusters_stay_apart() {
        let points = random_points(3);
        assert_eq!(cluster(&points, 2, sums), points);
    }
}
