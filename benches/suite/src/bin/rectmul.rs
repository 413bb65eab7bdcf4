//! Multiplication of rectangular matrices, which divides the longest of the three dimensions.
//!
//! From the Cilk-5 distribution (by Matteo Frigo), whose manual reports it. Halves of the rows and
//! columns of the result are computed in parallel; the two halves of the inner dimension add to the
//! same result, one after the other. Blocks of 16 × 16 are multiplied serially, as there.

use std::process::ExitCode;

use rayon::prelude::*;
use workspan_suite::{add_product, random_numbers, size, timed, verdict};

const USAGE: &str = "usage: rectmul [ROWS]
  ROWS  of the first matrix, which has half as many columns, up to the next power of two, 32 to
        8192 [default: 2048]";

/// Rows and columns of a block.
const BLOCK: usize = 16;

type Block = [f64; BLOCK * BLOCK];

/// A matrix of blocks, row by row.
struct Matrix {
    columns: usize,
    blocks: Vec<Block>,
}

/// The blocks that are multiplied: the first matrix has `rows` × `inner`.
#[derive(Clone, Copy)]
struct Extent {
    rows: usize,
    inner: usize,
    columns: usize,
}

/// The dimension that is halved next.
enum Longest {
    Rows,
    Inner,
    Columns,
}

impl Extent {
    fn longest(self) -> Longest {
        if self.rows >= self.inner.max(self.columns) {
            Longest::Rows
        } else if self.inner > self.columns {
            Longest::Inner
        } else {
            Longest::Columns
        }
    }

    fn is_one_block(self) -> bool {
        self.rows * self.inner * self.columns == 1
    }

    /// The index of a block in the result, whose halves are stored one after the other, as they are
    /// divided.
    fn place(self, row: usize, column: usize) -> usize {
        if self.is_one_block() {
            return 0;
        }
        let (half, place) = match self.longest() {
            Longest::Rows => {
                let rows = self.rows / 2;
                let half = Extent { rows, ..self };
                (row / rows, half.place(row % rows, column))
            }
            Longest::Inner => {
                let inner = self.inner / 2;
                (0, Extent { inner, ..self }.place(row, column))
            }
            Longest::Columns => {
                let columns = self.columns / 2;
                let half = Extent { columns, ..self };
                (column / columns, half.place(row, column % columns))
            }
        };
        half * self.rows * self.columns / 2 + place
    }
}

/// The start of the parts of the two matrices that are multiplied.
#[derive(Clone, Copy)]
struct Start {
    row: usize,
    inner: usize,
    column: usize,
}

/// Adds the product of parts of `a` and `b` to `c`.
fn multiply(c: &mut [Block], a: &Matrix, b: &Matrix, start: Start, extent: Extent) {
    if extent.is_one_block() {
        let a = &a.blocks[start.row * a.columns + start.inner];
        let b = &b.blocks[start.inner * b.columns + start.column];
        return add_product(&mut c[0], a, b, BLOCK);
    }
    match extent.longest() {
        Longest::Rows => {
            let rows = extent.rows / 2;
            let row = start.row + rows;
            let half = Extent { rows, ..extent };
            let (upper, lower) = c.split_at_mut(c.len() / 2);
            rayon::join(
                || multiply(upper, a, b, start, half),
                || multiply(lower, a, b, Start { row, ..start }, half),
            );
        }
        Longest::Columns => {
            let columns = extent.columns / 2;
            let column = start.column + columns;
            let half = Extent { columns, ..extent };
            let (left, right) = c.split_at_mut(c.len() / 2);
            rayon::join(
                || multiply(left, a, b, start, half),
                || multiply(right, a, b, Start { column, ..start }, half),
            );
        }
        Longest::Inner => {
            let inner = extent.inner / 2;
            let half = Extent { inner, ..extent };
            multiply(c, a, b, start, half);
            let inner = start.inner + inner;
            multiply(c, a, b, Start { inner, ..start }, half);
        }
    }
}

/// Small whole numbers, whose products and sums are exact.
fn random_matrix(rows: usize, columns: usize, seed: u64) -> Matrix {
    let blocks = random_numbers(rows * columns * BLOCK * BLOCK, seed)
        .par_chunks_exact(BLOCK * BLOCK)
        .map(|numbers| std::array::from_fn(|index| (numbers[index] % 17) as f64 - 8.0))
        .collect();
    Matrix { columns, blocks }
}

/// The product of a matrix and a vector; `block` returns the matrix's block at a row and a column.
fn times<'a>(
    rows: usize,
    columns: usize,
    block: impl Fn(usize, usize) -> &'a Block + Sync,
    vector: &[f64],
) -> Vec<f64> {
    (0..rows * BLOCK)
        .into_par_iter()
        .map(|row| {
            let elements = (0..columns)
                .flat_map(|column| &block(row / BLOCK, column)[row % BLOCK * BLOCK..][..BLOCK]);
            elements.zip(vector).map(|(element, x)| element * x).sum()
        })
        .collect()
}

fn main() -> ExitCode {
    let rows = size(USAGE, 2_048, 32..=8_192).next_power_of_two() / BLOCK;
    let extent = Extent {
        rows,
        inner: rows / 2,
        columns: rows,
    };
    let a = random_matrix(extent.rows, extent.inner, 1);
    let b = random_matrix(extent.inner, extent.columns, 2);
    let mut c = vec![[0.0; BLOCK * BLOCK]; extent.rows * extent.columns];
    let start = Start {
        row: 0,
        inner: 0,
        column: 0,
    };
    timed("rectmul", || multiply(&mut c, &a, &b, start, extent));

    // Freivalds' check: C·x = A·(B·x).
    let x: Vec<f64> = (0..extent.columns * BLOCK)
        .map(|row| (row % 7) as f64)
        .collect();
    let at_a = |row, column| &a.blocks[row * a.columns + column];
    let at_b = |row, column| &b.blocks[row * b.columns + column];
    let at_c = |row, column| &c[extent.place(row, column)];
    let b_x = times(extent.inner, extent.columns, at_b, &x);
    let expected = times(extent.rows, extent.inner, at_a, &b_x);
    verdict(times(extent.rows, extent.columns, at_c, &x) == expected)
}
