//! Multiplication of square matrices by divide and conquer.
//!
//! Cilkprof, Fig. 8 (512 rows) and Fig. 11 (2048 rows). Four products of quadrants in parallel,
//! then the other four: the span is that of n/k base products in a row, so the parallelism is
//! (n/k)². Cilkprof's 233 for 512 rows says that its k was about 32.

use std::process::ExitCode;

use workspan_suite::{
    Matrix, add_product, is_product, quadrants, quadrants_mut, size, timed, verdict,
};

const USAGE: &str = "usage: matmul [ROWS]
  ROWS  rows of the matrices, up to the next power of two, 32 to 8192 [default: 2048]";

/// Rows of the largest matrices that are multiplied serially.
const BASE: usize = 32;

/// Adds the product of `a` and `b`, of `size` rows each, to `c`.
fn multiply(c: &mut [f64], a: &[f64], b: &[f64], size: usize) {
    if size <= BASE {
        return add_product(c, a, b, size);
    }
    let half = size / 2;
    let [c00, c01, c10, c11] = quadrants_mut(c);
    let [a00, a01, a10, a11] = quadrants(a);
    let [b00, b01, b10, b11] = quadrants(b);
    for [a0, a1, b0, b1] in [[a00, a10, b00, b01], [a01, a11, b10, b11]] {
        rayon::join(
            || {
                rayon::join(
                    || multiply(c00, a0, b0, half),
                    || multiply(c01, a0, b1, half),
                )
            },
            || {
                rayon::join(
                    || multiply(c10, a1, b0, half),
                    || multiply(c11, a1, b1, half),
                )
            },
        );
    }
}

fn main() -> ExitCode {
    let rows = size(USAGE, 2_048, 32..=8_192).next_power_of_two();
    let a = Matrix::random(rows, BASE, 1);
    let b = Matrix::random(rows, BASE, 2);
    let mut c = Matrix::zero(rows, BASE);
    timed("matmul", || {
        multiply(&mut c.elements, &a.elements, &b.elements, rows);
    });
    verdict(is_product(&c, &a, &b))
}
