//! Cholesky factor of a sparse matrix, which is stored as a tree of quadrants.
//!
//! From the Cilk-5 distribution (by Aske Plaat, Keith Randall, Daniel Schultz); Cilkprof, Fig. 11
//! (2000 rows, 16,000 nonzeros at random places). A quadrant of zeros has no tree; the leaves are
//! blocks of 4 × 4, as there, so tasks are tiny.

use std::process::ExitCode;

use workspan_suite::{Xorshift, are_close, size, timed, verdict};

const USAGE: &str = "usage: cholesky [ROWS]
  ROWS  rows of the matrix, with 8 nonzeros each, 4 to 10000 [default: 3000]";

/// Rows of a leaf.
const BLOCK: usize = 4;

type Block = [[f64; BLOCK]; BLOCK];

/// A square matrix. In a symmetric one, and in a factor, the part above the diagonal is unused.
enum Tree {
    Zero,
    Leaf(Box<Block>),
    /// Above left, above right, below left, below right.
    Node(Box<[Tree; 4]>),
}

impl Tree {
    fn empty_node() -> Self {
        Tree::Node(Box::new([const { Tree::Zero }; 4]))
    }

    fn empty_leaf() -> Self {
        Tree::Leaf(Box::default())
    }

    /// Adds to one element of a matrix of `size` rows.
    fn add(&mut self, size: usize, row: usize, column: usize, value: f64) {
        if size == BLOCK {
            if let Tree::Zero = self {
                *self = Tree::empty_leaf();
            }
            if let Tree::Leaf(block) = self {
                block[row][column] += value;
            }
            return;
        }
        if let Tree::Zero = self {
            *self = Tree::empty_node();
        }
        if let Tree::Node(quadrants) = self {
            let half = size / 2;
            let quadrant = &mut quadrants[row / half * 2 + column / half];
            quadrant.add(half, row % half, column % half, value);
        }
    }

    /// Calls `visit` with row, column and value of all elements except those of zero quadrants; the
    /// matrix of `size` rows starts at `row` and `column`.
    fn visit(
        &self,
        size: usize,
        row: usize,
        column: usize,
        visit: &mut impl FnMut(usize, usize, f64),
    ) {
        match self {
            Tree::Zero => {}
            Tree::Leaf(block) => {
                for (i, elements) in block.iter().enumerate() {
                    for (j, &value) in elements.iter().enumerate() {
                        visit(row + i, column + j, value);
                    }
                }
            }
            Tree::Node(quadrants) => {
                let half = size / 2;
                for (place, quadrant) in quadrants.iter().enumerate() {
                    quadrant.visit(
                        half,
                        row + place / 2 * half,
                        column + place % 2 * half,
                        visit,
                    );
                }
            }
        }
    }
}

/// Replaces a symmetric matrix by its lower factor.
fn cholesky(matrix: &mut Tree) {
    match matrix {
        Tree::Zero => {}
        Tree::Leaf(block) => cholesky_block(block),
        Tree::Node(quadrants) => {
            let [above, _, below_left, below] = &mut **quadrants;
            if let Tree::Zero = below_left {
                rayon::join(|| cholesky(above), || cholesky(below));
                return;
            }
            cholesky(above);
            solve(below_left, above);
            subtract_product(below, below_left, below_left, Part::Lower);
            cholesky(below);
        }
    }
}

/// Replaces `matrix` by the X for which X·`lower`ᵀ = `matrix`.
fn solve(matrix: &mut Tree, lower: &Tree) {
    match (matrix, lower) {
        (Tree::Leaf(block), Tree::Leaf(lower)) => solve_block(block, lower),
        (Tree::Node(quadrants), Tree::Node(lower)) => {
            let [m00, m01, m10, m11] = &mut **quadrants;
            let [l00, _, l10, l11] = &**lower;
            let row = |left: &mut Tree, right: &mut Tree| {
                solve(left, l00);
                subtract_product(right, left, l10, Part::Whole);
                solve(right, l11);
            };
            rayon::join(|| row(m00, m01), || row(m10, m11));
        }
        _ => {}
    }
}

/// The part of a product that is needed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    /// The part below the diagonal; the product is symmetric.
    Lower,
}

/// Subtracts `a`·`b`ᵀ from `matrix`.
fn subtract_product(matrix: &mut Tree, a: &Tree, b: &Tree, part: Part) {
    match (a, b) {
        (Tree::Leaf(a), Tree::Leaf(b)) => {
            if let Tree::Zero = matrix {
                *matrix = Tree::empty_leaf();
            }
            if let Tree::Leaf(block) = matrix {
                subtract_product_block(block, a, b);
            }
        }
        (Tree::Node(a), Tree::Node(b)) => {
            if let Tree::Zero = matrix {
                *matrix = Tree::empty_node();
            }
            let Tree::Node(quadrants) = matrix else {
                return;
            };
            let [m00, m01, m10, m11] = &mut **quadrants;
            for k in [0, 1] {
                let (a0, a1, b0, b1) = (&a[k], &a[2 + k], &b[k], &b[2 + k]);
                rayon::join(
                    || {
                        rayon::join(
                            || subtract_product(m00, a0, b0, part),
                            || subtract_product(m11, a1, b1, part),
                        )
                    },
                    || {
                        if part == Part::Lower {
                            subtract_product(m10, a1, b0, Part::Whole);
                            return;
                        }
                        rayon::join(
                            || subtract_product(m10, a1, b0, part),
                            || subtract_product(m01, a0, b1, part),
                        );
                    },
                );
            }
        }
        _ => {}
    }
}

fn cholesky_block(block: &mut Block) {
    for row in 0..BLOCK {
        for column in 0..=row {
            let known: f64 = (0..column).map(|k| block[row][k] * block[column][k]).sum();
            let rest = block[row][column] - known;
            block[row][column] = if row == column {
                rest.sqrt()
            } else {
                rest / block[column][column]
            };
        }
        block[row][row + 1..].fill(0.0);
    }
}

fn solve_block(block: &mut Block, lower: &Block) {
    for row in block {
        for column in 0..BLOCK {
            let known: f64 = (0..column).map(|k| row[k] * lower[column][k]).sum();
            row[column] = (row[column] - known) / lower[column][column];
        }
    }
}

fn subtract_product_block(block: &mut Block, a: &Block, b: &Block) {
    for (row, a_row) in block.iter_mut().zip(a) {
        for (element, b_row) in row.iter_mut().zip(b) {
            let product: f64 = a_row.iter().zip(b_row).map(|(a, b)| a * b).sum();
            *element -= product;
        }
    }
}

/// The elements on and below the diagonal of a random matrix that has a factor: the diagonal
/// outweighs the rest of its row.
fn random_elements(rows: usize) -> Vec<(usize, usize, f64)> {
    let mut random = Xorshift::new(1);
    let mut diagonal = vec![1.0; rows];
    let mut elements = Vec::new();
    for _ in 0..7 * rows {
        let (a, b) = (
            random.below(rows as u64) as usize,
            random.below(rows as u64) as usize,
        );
        if a != b {
            let value = random.below(1_000) as f64 / 1_000.0;
            elements.push((a.max(b), a.min(b), value));
            diagonal[a] += value;
            diagonal[b] += value;
        }
    }
    elements.extend((0..rows).map(|row| (row, row, diagonal[row])));
    elements
}

fn main() -> ExitCode {
    let rows = size(USAGE, 3_000, 4..=10_000).next_multiple_of(BLOCK);
    let tree_size = rows.next_power_of_two();
    let elements = random_elements(rows);
    let mut matrix = Tree::Zero;
    for &(row, column, value) in &elements {
        matrix.add(tree_size, row, column, value);
    }
    timed("cholesky", || cholesky(&mut matrix));

    // A·x against L·(Lᵀ·x).
    let x: Vec<f64> = (0..rows).map(|row| 1.0 + (row % 7) as f64).collect();
    let mut expected = vec![0.0; rows];
    for (row, column, value) in elements {
        expected[row] += value * x[column];
        if row != column {
            expected[column] += value * x[row];
        }
    }
    let mut transposed = vec![0.0; rows];
    matrix.visit(tree_size, 0, 0, &mut |row, column, value| {
        transposed[column] += value * x[row];
    });
    let mut product = vec![0.0; rows];
    matrix.visit(tree_size, 0, 0, &mut |row, column, value| {
        product[row] += value * transposed[column];
    });
    verdict(are_close(&product, &expected))
}
