//! Multiplication of square matrices by divide and conquer.
//!
//! Cilkprof, Fig. 8 (512 rows) and Fig. 11 (2048 rows). Four products of quadrants in parallel,
//! then the other four: the span is that of n/k base products in series, so the parallelism is
//! (n/k)². Cilkprof's 233 for 512 rows implies a k of about 32.

use std::process::ExitCode;

use workspan_suite::{Matrix, is_product, multiply, size, timed, verdict};

const USAGE: &str = "usage: matmul [ROWS]
  ROWS  rows of the matrices, up to the next power of two, 32 to 8192 [default: 2048]";

/// Rows of the largest matrices that are multiplied serially.
const BASE: usize = 32;

fn main() -> ExitCode {
    let rows = size(USAGE, 2_048, 32..=8_192).next_power_of_two();
    let a = Matrix::random(rows, BASE, 1);
    let b = Matrix::random(rows, BASE, 2);
    let mut c = Matrix::zero(rows, BASE);
    timed("matmul", || {
        multiply::<BASE>(&mut c.elements, &a.elements, &b.elements, rows);
    });
    verdict(is_product(&c, &a, &b))
}
