//! Strassen's multiplication of square matrices, in Winograd's form: seven products instead of
//! eight.
//!
//! From the Cilk-5 distribution; Cilkprof, Fig. 11 (2048 rows). The products run in parallel; the
//! sums of quadrants before and after them are serial, which bounds the parallelism. As in the
//! distribution, matrices of 64 rows are multiplied directly.

use std::process::ExitCode;

use workspan_suite::{
    Matrix, add_product, is_product, quadrants, quadrants_mut, size, timed, verdict,
};

const USAGE: &str = "usage: strassen [ROWS]
  ROWS  rows of the matrices, up to the next power of two, 64 to 8192 [default: 2048]";

/// Rows of the largest matrices that are multiplied directly.
const BASE: usize = 64;

/// Sets `c` to the product of `a` and `b`, of `size` rows each.
fn strassen(c: &mut [f64], a: &[f64], b: &[f64], size: usize) {
    if size <= BASE {
        c.fill(0.0);
        return add_product(c, a, b, size);
    }
    let half = size / 2;
    let [a00, a01, a10, a11] = quadrants(a);
    let [b00, b01, b10, b11] = quadrants(b);

    let s1 = sum(a10, a11);
    let s2 = difference(&s1, a00);
    let s3 = difference(a00, a10);
    let s4 = difference(a01, &s2);
    let t1 = difference(b01, b00);
    let t2 = difference(b11, &t1);
    let t3 = difference(b11, b01);
    let t4 = difference(&t2, b10);

    let [c00, c01, c10, c11] = quadrants_mut(c);
    let mut p1 = vec![0.0; half * half];
    let mut p6 = vec![0.0; half * half];
    let mut p7 = vec![0.0; half * half];
    rayon::scope(|scope| {
        scope.spawn(|_| strassen(&mut p1, a00, b00, half));
        scope.spawn(|_| strassen(&mut p6, &s2, &t2, half));
        scope.spawn(|_| strassen(&mut p7, &s3, &t3, half));
        scope.spawn(|_| strassen(c00, a01, b10, half));
        scope.spawn(|_| strassen(c01, &s4, b11, half));
        scope.spawn(|_| strassen(c10, a11, &t4, half));
        strassen(c11, &s1, &t1, half);
    });

    for index in 0..half * half {
        let u2 = p1[index] + p6[index];
        let u3 = u2 + p7[index];
        c00[index] += p1[index];
        c01[index] += u2 + c11[index];
        c10[index] = u3 - c10[index];
        c11[index] += u3;
    }
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn main() -> ExitCode {
    let rows = size(USAGE, 2_048, 64..=8_192).next_power_of_two();
    let a = Matrix::random(rows, BASE, 1);
    let b = Matrix::random(rows, BASE, 2);
    let mut c = Matrix::zero(rows, BASE);
    timed("strassen", || {
        strassen(&mut c.elements, &a.elements, &b.elements, rows);
    });
    verdict(is_product(&c, &a, &b))
}
