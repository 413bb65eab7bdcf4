//! Factors a matrix into a lower and an upper triangle, without pivoting, by divide and conquer.
//!
//! From the Cilk-5 distribution (by Robert Blumofe); Cilkprof, Fig. 11 (2048 rows). Blocks of 16
//! rows are factored serially, as there. The two halves of the diagonal follow each other, so the
//! span is of the order of n log² n.

use std::process::ExitCode;

use rayon::prelude::*;
use workspan_suite::{Matrix, are_close, quadrants, quadrants_mut, size, timed, verdict};

const USAGE: &str = "usage: lu [ROWS]
  ROWS  rows of the matrix, up to the next power of two, 16 to 8192 [default: 2048]";

/// Rows of the blocks that are processed serially.
const BASE: usize = 16;

/// Replaces a matrix by its factors: L below the diagonal, whose own elements are 1, and U.
fn lu(matrix: &mut [f64], size: usize) {
    if size <= BASE {
        return lu_block(matrix);
    }
    let half = size / 2;
    let [m00, m01, m10, m11] = quadrants_mut(matrix);
    lu(m00, half);
    let diagonal = &*m00;
    rayon::join(
        || solve_lower(m01, diagonal, half),
        || solve_upper(m10, diagonal, half),
    );
    subtract_product(m11, m10, m01, half);
    lu(m11, half);
}

/// Replaces `m` by the X for which L·X = `m`, where L is the lower triangle of `diagonal`.
fn solve_lower(m: &mut [f64], diagonal: &[f64], size: usize) {
    if size <= BASE {
        return solve_lower_block(m, diagonal);
    }
    let half = size / 2;
    let [m00, m01, m10, m11] = quadrants_mut(m);
    let [l00, _, l10, l11] = quadrants(diagonal);
    let column = |above: &mut [f64], below: &mut [f64]| {
        solve_lower(above, l00, half);
        subtract_product(below, l10, above, half);
        solve_lower(below, l11, half);
    };
    rayon::join(|| column(m00, m10), || column(m01, m11));
}

/// Replaces `m` by the X for which X·U = `m`, where U is the upper triangle of `diagonal`.
fn solve_upper(m: &mut [f64], diagonal: &[f64], size: usize) {
    if size <= BASE {
        return solve_upper_block(m, diagonal);
    }
    let half = size / 2;
    let [m00, m01, m10, m11] = quadrants_mut(m);
    let [u00, u01, _, u11] = quadrants(diagonal);
    let row = |left: &mut [f64], right: &mut [f64]| {
        solve_upper(left, u00, half);
        subtract_product(right, left, u01, half);
        solve_upper(right, u11, half);
    };
    rayon::join(|| row(m00, m01), || row(m10, m11));
}

/// Subtracts the product of `a` and `b` from `c`.
fn subtract_product(c: &mut [f64], a: &[f64], b: &[f64], size: usize) {
    if size <= BASE {
        return subtract_product_block(c, a, b);
    }
    let half = size / 2;
    let [c00, c01, c10, c11] = quadrants_mut(c);
    let [a00, a01, a10, a11] = quadrants(a);
    let [b00, b01, b10, b11] = quadrants(b);
    for [a0, a1, b0, b1] in [[a00, a10, b00, b01], [a01, a11, b10, b11]] {
        rayon::join(
            || {
                rayon::join(
                    || subtract_product(c00, a0, b0, half),
                    || subtract_product(c01, a0, b1, half),
                )
            },
            || {
                rayon::join(
                    || subtract_product(c10, a1, b0, half),
                    || subtract_product(c11, a1, b1, half),
                )
            },
        );
    }
}

fn lu_block(block: &mut [f64]) {
    for step in 0..BASE {
        let (above, below) = block.split_at_mut((step + 1) * BASE);
        let pivots = &above[step * BASE..];
        for row in below.chunks_exact_mut(BASE) {
            row[step] /= pivots[step];
            let factor = row[step];
            subtract_multiple(&mut row[step + 1..], factor, &pivots[step + 1..]);
        }
    }
}

fn solve_lower_block(m: &mut [f64], diagonal: &[f64]) {
    for step in 1..BASE {
        let (above, row) = m.split_at_mut(step * BASE);
        let factors = &diagonal[step * BASE..][..step];
        for (&factor, solved) in factors.iter().zip(above.chunks_exact(BASE)) {
            subtract_multiple(&mut row[..BASE], factor, solved);
        }
    }
}

fn solve_upper_block(m: &mut [f64], diagonal: &[f64]) {
    for row in m.chunks_exact_mut(BASE) {
        for (step, pivots) in diagonal.chunks_exact(BASE).enumerate() {
            row[step] /= pivots[step];
            let factor = row[step];
            subtract_multiple(&mut row[step + 1..], factor, &pivots[step + 1..]);
        }
    }
}

fn subtract_product_block(c: &mut [f64], a: &[f64], b: &[f64]) {
    for (c_row, a_row) in c.chunks_exact_mut(BASE).zip(a.chunks_exact(BASE)) {
        for (&factor, b_row) in a_row.iter().zip(b.chunks_exact(BASE)) {
            subtract_multiple(c_row, factor, b_row);
        }
    }
}

fn subtract_multiple(row: &mut [f64], factor: f64, other: &[f64]) {
    for (element, other) in row.iter_mut().zip(other) {
        *element -= factor * other;
    }
}

/// L·(U·x) for the factors that [`lu`] leaves.
fn product_of_factors(factors: &Matrix, x: &[f64]) -> Vec<f64> {
    let rows = factors.size();
    let at = |row, column| factors.elements[factors.index(row, column)];
    let upper: Vec<f64> = (0..rows)
        .into_par_iter()
        .map(|row| (row..rows).map(|column| at(row, column) * x[column]).sum())
        .collect();
    (0..rows)
        .into_par_iter()
        .map(|row| {
            upper[row]
                + (0..row)
                    .map(|column| at(row, column) * upper[column])
                    .sum::<f64>()
        })
        .collect()
}

fn main() -> ExitCode {
    let rows = size(USAGE, 2_048, 16..=8_192).next_power_of_two();
    let mut matrix = Matrix::random(rows, BASE, 1);
    for row in 0..rows {
        // A diagonal this heavy needs no pivoting.
        let index = matrix.index(row, row);
        matrix.elements[index] += 10.0 * rows as f64;
    }
    let x: Vec<f64> = (0..rows).map(|row| 1.0 + (row % 7) as f64).collect();
    let expected = matrix.times(&x);
    timed("lu", || lu(&mut matrix.elements, rows));
    let product = product_of_factors(&matrix, &x);
    verdict(are_close(&product, &expected))
}
