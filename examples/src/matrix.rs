//! Square matrices that are stored so that a quadrant is a slice.

use rayon::prelude::*;

use crate::random_numbers;

/// A square matrix whose size is a power of two. Its quadrants are stored one after the other, each
/// the same way, down to blocks of `base` rows, which are stored row by row. So a function that
/// works on quadrants in parallel can borrow each of them.
#[derive(Clone, Debug)]
pub struct Matrix {
    size: usize,
    base: usize,
    /// The elements in the order described above.
    pub elements: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    ///
    /// # Panics
    /// If `size` is not a power of two times `base`.
    pub fn zero(size: usize, base: usize) -> Self {
        assert!(
            size.is_multiple_of(base) && (size / base).is_power_of_two(),
            "{size} rows do not fall into blocks of {base}"
        );
        Matrix {
            size,
            base,
            elements: vec![0.0; size * size],
        }
    }

    /// A matrix of small whole numbers, whose products and sums are exact.
    ///
    /// # Panics
    /// Like [`Matrix::zero`].
    pub fn random(size: usize, base: usize, seed: u64) -> Self {
        let mut matrix = Matrix::zero(size, base);
        matrix.elements = random_numbers(size * size, seed)
            .into_par_iter()
            .map(|number| (number % 17) as f64 - 8.0)
            .collect();
        matrix
    }

    /// Number of rows and of columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The index of an element by its row and column.
    pub fn index(&self, row: usize, column: usize) -> usize {
        let (mut row, mut column) = (row, column);
        let mut size = self.size;
        let mut start = 0;
        while size > self.base {
            size /= 2;
            start += (row / size * 2 + column / size) * size * size;
            row %= size;
            column %= size;
        }
        start + row * size + column
    }

    /// The product with a vector.
    pub fn times(&self, vector: &[f64]) -> Vec<f64> {
        (0..self.size)
            .into_par_iter()
            .map(|row| {
                (0..self.size)
                    .map(|column| self.elements[self.index(row, column)] * vector[column])
                    .sum()
            })
            .collect()
    }
}

/// The quadrants of a matrix: above left, above right, below left, below right.
pub fn quadrants(matrix: &[f64]) -> [&[f64]; 4] {
    let quarter = matrix.len() / 4;
    [0, 1, 2, 3].map(|quadrant| &matrix[quadrant * quarter..(quadrant + 1) * quarter])
}

/// The quadrants of a matrix, mutable.
pub fn quadrants_mut(matrix: &mut [f64]) -> [&mut [f64]; 4] {
    let quarter = matrix.len() / 4;
    let (above, below) = matrix.split_at_mut(2 * quarter);
    let (above_left, above_right) = above.split_at_mut(quarter);
    let (below_left, below_right) = below.split_at_mut(quarter);
    [above_left, above_right, below_left, below_right]
}

/// Adds the product of `a` and `b`, of `size` rows each in blocks of `BASE`, to `c`: four products
/// of quadrants in parallel, one for each quadrant of `c`, then the other four.
pub fn multiply<const BASE: usize>(c: &mut [f64], a: &[f64], b: &[f64], size: usize) {
    if size <= BASE {
        return add_product(c, a, b, BASE);
    }
    let half = size / 2;
    let [c00, c01, c10, c11] = quadrants_mut(c);
    let [a00, a01, a10, a11] = quadrants(a);
    let [b00, b01, b10, b11] = quadrants(b);
    for [a0, a1, b0, b1] in [[a00, a10, b00, b01], [a01, a11, b10, b11]] {
        rayon::join(
            || {
                rayon::join(
                    || multiply::<BASE>(c00, a0, b0, half),
                    || multiply::<BASE>(c01, a0, b1, half),
                )
            },
            || {
                rayon::join(
                    || multiply::<BASE>(c10, a1, b0, half),
                    || multiply::<BASE>(c11, a1, b1, half),
                )
            },
        );
    }
}

/// Adds the product of `a` and `b`, both stored row by row with `size` columns, to `c`.
#[inline]
pub fn add_product(c: &mut [f64], a: &[f64], b: &[f64], size: usize) {
    for (c_row, a_row) in c.chunks_exact_mut(size).zip(a.chunks_exact(size)) {
        for (factor, b_row) in a_row.iter().zip(b.chunks_exact(size)) {
            for (element, other) in c_row.iter_mut().zip(b_row) {
                *element += factor * other;
            }
        }
    }
}

/// Freivalds' check, that C·x = A·(B·x) for a random x. The elements must be whole numbers.
pub fn is_product(c: &Matrix, a: &Matrix, b: &Matrix) -> bool {
    let x: Vec<f64> = random_numbers(c.size, 3)
        .into_iter()
        .map(|number| (number % 1_000) as f64)
        .collect();
    c.times(&x) == a.times(&b.times(&x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quadrants_hold_every_element_once() {
        let mut matrix = Matrix::zero(8, 2);
        for row in 0..8 {
            for column in 0..8 {
                let index = matrix.index(row, column);
                matrix.elements[index] += (10 * row + column) as f64;
            }
        }
        let [_, above_right, below_left, below_right] = quadrants(&matrix.elements);
        assert_eq!(above_right[..4], [4.0, 5.0, 14.0, 15.0]);
        assert_eq!(below_left[0], 40.0);
        assert_eq!(below_right[15], 77.0);
        assert_eq!(quadrants_mut(&mut matrix.clone().elements)[2][0], 40.0);
    }

    #[test]
    fn a_wrong_element_of_a_product_is_noticed() {
        let a = Matrix::random(32, 32, 1);
        let b = Matrix::random(32, 32, 2);
        let mut c = Matrix::zero(32, 32);
        add_product(&mut c.elements, &a.elements, &b.elements, 32);
        assert!(is_product(&c, &a, &b));
        c.elements[100] += 1.0;
        assert!(!is_product(&c, &a, &b));
    }
}
