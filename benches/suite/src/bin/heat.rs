//! Heat diffusing over a plate: Jacobi iterations of a five-point stencil.
//!
//! From the Cilk-5 distribution (by Volker Strumpen); Cilkprof, Fig. 11 (4096 × 1024 × 40 points).
//! Each step divides the rows in two until 10 are left, as there. It starts with a wave for which
//! the result after any number of steps is known exactly.

use std::f64::consts::PI;
use std::process::ExitCode;

use rayon::prelude::*;
use workspan_suite::{are_close, size, timed, verdict};

const USAGE: &str = "usage: heat [STEPS]
  STEPS  how often every point of a plate of 4096 x 1024 is updated, 0 to 10000 [default: 250]";

const ROWS: usize = 4_096;
const COLUMNS: usize = 1_024;

/// Rows that are updated serially.
const LEAF: usize = 10;

/// The share of the difference to each neighbour that flows in a step.
const FLOW: f64 = 0.2;

/// Sets `new`, whole rows of the plate starting with row `first`, to `old` after one step.
fn diffuse(new: &mut [f64], first: usize, old: &[f64]) {
    let rows = new.len() / COLUMNS;
    if rows <= LEAF {
        for (index, new_row) in new.chunks_exact_mut(COLUMNS).enumerate() {
            let row = first + index;
            // The rim stays cold.
            if (1..ROWS - 1).contains(&row) {
                diffuse_row(new_row, &old[(row - 1) * COLUMNS..(row + 2) * COLUMNS]);
            }
        }
        return;
    }
    let (upper, lower) = new.split_at_mut(rows / 2 * COLUMNS);
    rayon::join(
        || diffuse(upper, first, old),
        || diffuse(lower, first + rows / 2, old),
    );
}

/// Computes one row from the old row and those above and below.
fn diffuse_row(new: &mut [f64], old: &[f64]) {
    let (above, rest) = old.split_at(COLUMNS);
    let (middle, below) = rest.split_at(COLUMNS);
    for column in 1..COLUMNS - 1 {
        let neighbours = above[column] + below[column] + middle[column - 1] + middle[column + 1];
        new[column] = middle[column] + FLOW * (neighbours - 4.0 * middle[column]);
    }
}

fn simulate(steps: usize, mut plate: Vec<f64>) -> Vec<f64> {
    let mut next = vec![0.0; plate.len()];
    for _ in 0..steps {
        diffuse(&mut next, 0, &plate);
        std::mem::swap(&mut plate, &mut next);
    }
    plate
}

/// Half a wave in both directions, zero on the rim. A step multiplies it by
/// 1 - 4 FLOW (sin² x + sin² y), where x and y are half the angle between neighbouring points.
fn half_wave(height: f64) -> Vec<f64> {
    (0..ROWS)
        .into_par_iter()
        .flat_map_iter(|row| {
            let row = height * (row as f64 * angle(ROWS)).sin();
            (0..COLUMNS).map(move |column| row * (column as f64 * angle(COLUMNS)).sin())
        })
        .collect()
}

fn angle(points: usize) -> f64 {
    PI / (points - 1) as f64
}

fn main() -> ExitCode {
    let steps = size(USAGE, 250, 0..=10_000);
    let start = half_wave(1.0);
    let plate = timed("heat", || simulate(steps, start));
    let sines = (angle(ROWS) / 2.0).sin().powi(2) + (angle(COLUMNS) / 2.0).sin().powi(2);
    let height = (1.0 - 4.0 * FLOW * sines).powi(steps as i32);
    verdict(are_close(&plate, &half_wave(height)))
}
