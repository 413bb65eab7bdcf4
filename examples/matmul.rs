//! Divide-and-conquer multiplication of two square matrices (Cilkprof, Fig. 8).
//!
//! C = A·B is eight products of quadrants: four in parallel, one into each quadrant of C, then the
//! other four in parallel. The work is Θ(n³). The span obeys S(n) = 2 S(n/2) down to the base case
//! of k × k, so it is n/k serial base products of Θ(k³): Θ(n k²). The parallelism is (n/k)²: 256
//! for n = 512 and k = 32, less the cost of tasking. Cilkprof (Fig. 10) reports 233.
//!
//! What workspan should show:
//! - a parallelism of 100 to 200 for the outer `join` of `multiply`; 10 to 20 for the inner ones,
//!   whose instances are halves of a step. Their span is local to the innermost instances, whose
//!   strands are the base products;
//! - about 40 for the whole program: making the matrices and checking the product is Θ(n²) work in
//!   parallel loops, and starting the pool and freeing the matrices is serial. Compared to a span
//!   of a sixth of a millisecond even that shows, as the root's share;
//! - a burdened parallelism well below that: the critical path has 16 base products of a few
//!   microseconds in series, each after up to eight migrations;
//! - a tasking overhead below a percent: 4,096 base products, 3,510 forks.

use std::time::Instant;

use rayon::prelude::*;
use workspan_examples::{Arguments, random_numbers};

const USAGE: &str = "usage: matmul [SIZE]
  SIZE  rows of the matrices, a power of two, 32 to 8192 [default: 512]";

/// Rows of the largest matrices that are multiplied serially.
const BASE: usize = 32;

/// A square matrix. Its quadrants are stored one after the other, each the same way, down to blocks
/// of `BASE` rows, which are stored row by row.
struct Matrix {
    size: usize,
    elements: Vec<f64>,
}

impl Matrix {
    fn zero(size: usize) -> Self {
        Matrix {
            size,
            elements: vec![0.0; size * size],
        }
    }

    /// A matrix of small whole numbers, whose products and sums are exact.
    fn random(size: usize, seed: u64) -> Self {
        let elements = random_numbers(size * size, seed)
            .into_par_iter()
            .map(|number| (number % 17) as f64 - 8.0)
            .collect();
        Matrix { size, elements }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        let (mut row, mut column) = (row, column);
        let mut size = self.size;
        let mut start = 0;
        while size > BASE {
            size /= 2;
            start += (row / size * 2 + column / size) * size * size;
            row %= size;
            column %= size;
        }
        self.elements[start + row * size + column]
    }

    fn times_vector(&self, vector: &[f64]) -> Vec<f64> {
        (0..self.size)
            .into_par_iter()
            .map(|row| {
                vector
                    .iter()
                    .enumerate()
                    .map(|(column, factor)| self.at(row, column) * factor)
                    .sum()
            })
            .collect()
    }
}

/// Adds the product of `a` and `b`, of `size` rows each, to `c`.
fn multiply(c: &mut [f64], a: &[f64], b: &[f64], size: usize) {
    if size <= BASE {
        multiply_base(c, a, b, size);
        return;
    }
    let half = size / 2;
    let [a00, a01, a10, a11] = quadrants(a);
    let [b00, b01, b10, b11] = quadrants(b);
    let (c0, c1) = c.split_at_mut(2 * half * half);
    let (c00, c01) = c0.split_at_mut(half * half);
    let (c10, c11) = c1.split_at_mut(half * half);
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

fn quadrants(matrix: &[f64]) -> [&[f64]; 4] {
    let quarter = matrix.len() / 4;
    [0, 1, 2, 3].map(|quadrant| &matrix[quadrant * quarter..(quadrant + 1) * quarter])
}

// Not inlined, so that a profile of functions distinguishes it from its caller.
#[inline(never)]
fn multiply_base(c: &mut [f64], a: &[f64], b: &[f64], size: usize) {
    for (c_row, a_row) in c.chunks_exact_mut(size).zip(a.chunks_exact(size)) {
        for (factor, b_row) in a_row.iter().zip(b.chunks_exact(size)) {
            for (element, other) in c_row.iter_mut().zip(b_row) {
                *element += factor * other;
            }
        }
    }
}

/// Freivalds' check: C·x = A·(B·x) for a random x.
fn is_product(c: &Matrix, a: &Matrix, b: &Matrix) -> bool {
    let x: Vec<f64> = random_numbers(c.size, 3)
        .into_iter()
        .map(|number| (number % 1_000) as f64)
        .collect();
    c.times_vector(&x) == a.times_vector(&b.times_vector(&x))
}

fn main() {
    let size = Arguments::read_from_process(USAGE, |arguments| {
        let size = arguments.number("SIZE", 512, BASE..=8_192)?;
        if size.is_power_of_two() {
            Ok(size)
        } else {
            Err(arguments.bad(format!("SIZE is '{size}': give a power of two")))
        }
    });
    let a = Matrix::random(size, 1);
    let b = Matrix::random(size, 2);
    let mut c = Matrix::zero(size);
    let started = Instant::now();
    multiply(&mut c.elements, &a.elements, &b.elements, size);
    let elapsed = started.elapsed();
    assert!(is_product(&c, &a, &b), "the product is wrong");
    println!(
        "matmul: {size} x {size} matrices multiplied in {:.3} s",
        elapsed.as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiplies_as_the_definition_says() {
        for size in [32, 64, 128] {
            let a = Matrix::random(size, 1);
            let b = Matrix::random(size, 2);
            let mut c = Matrix::zero(size);
            multiply(&mut c.elements, &a.elements, &b.elements, size);
            for row in 0..size {
                for column in 0..size {
                    let sum: f64 = (0..size).map(|k| a.at(row, k) * b.at(k, column)).sum();
                    assert_eq!(c.at(row, column), sum, "row {row}, column {column}");
                }
            }
        }
    }

    #[test]
    fn a_wrong_element_is_noticed() {
        let a = Matrix::random(64, 1);
        let b = Matrix::random(64, 2);
        let mut c = Matrix::zero(64);
        multiply(&mut c.elements, &a.elements, &b.elements, 64);
        assert!(is_product(&c, &a, &b));
        c.elements[1_000] += 1.0;
        assert!(!is_product(&c, &a, &b));
    }
}
