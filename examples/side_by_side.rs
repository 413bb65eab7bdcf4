//! The papers' programs in rayon, for the comparison with OpenMP and oneTBB (`examples/c/openmp.c`, `examples/c/tbb.cpp`).
//!
//! The same recursion, input sizes and cutoffs, and the same serial steps: `examples/c/serial.h` has them in C. `ci/side-by-side`
//! profiles all and prints one table. What workspan should show is in `docs/side-by-side.md`.

use rayon::prelude::*;
use workspan_examples::{Arguments, Xorshift, insertion_sort, partition};

const USAGE: &str = "usage: side_by_side PROGRAM SIZE CUTOFF
  PROGRAM  fib, quicksort, matmul, nqueens or cilksort
  SIZE     which Fibonacci number, how many numbers to sort, rows of the matrices or of the board
  CUTOFF   what is smaller than this is computed without tasks; for nqueens: rows whose queens are tasks";

/// Fewer numbers than these are sorted by insertion.
const FEW: usize = 32;

/// Rows of the largest matrices that are multiplied serially: some 10 µs.
const BASE: usize = 32;

/// The numbers of solutions, from a board of no row on (OEIS A000170).
const SOLUTIONS: [u64; 14] = [
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2_680, 14_200, 73_712,
];

fn fib(n: usize, cutoff: usize) -> u64 {
    if n < cutoff {
        return serial_fib(n);
    }
    let (one, other) = rayon::join(|| fib(n - 1, cutoff), || fib(n - 2, cutoff));
    one + other
}

fn serial_fib(n: usize) -> u64 {
    if n < 2 {
        n as u64
    } else {
        serial_fib(n - 1) + serial_fib(n - 2)
    }
}

fn fib_by_addition(n: usize) -> u64 {
    (0..n).fold((0, 1), |(now, next), _| (next, now + next)).0
}

fn quicksort(numbers: &mut [u64], cutoff: usize) {
    if numbers.len() < cutoff {
        return serial_quicksort(numbers);
    }
    let middle = partition(numbers);
    let (low, high) = numbers.split_at_mut(middle);
    rayon::join(|| quicksort(low, cutoff), || quicksort(high, cutoff));
}

fn serial_quicksort(numbers: &mut [u64]) {
    if numbers.len() < FEW {
        return insertion_sort(numbers);
    }
    let middle = partition(numbers);
    let (low, high) = numbers.split_at_mut(middle);
    serial_quicksort(low);
    serial_quicksort(high);
}

/// Adds the product of `a` and `b`, of `size` rows each, to `c`: four products of quadrants, then the other four.
fn multiply(c: &mut [f64], a: &[f64], b: &[f64], size: usize) {
    if size <= BASE {
        return add_product(c, a, b);
    }
    let half = size / 2;
    let quarter = half * half;
    let (above, below) = c.split_at_mut(2 * quarter);
    let (c00, c01) = above.split_at_mut(quarter);
    let (c10, c11) = below.split_at_mut(quarter);
    for k in 0..2 {
        let (a0, a1) = (
            &a[k * quarter..][..quarter],
            &a[(k + 2) * quarter..][..quarter],
        );
        let (b0, b1) = (
            &b[2 * k * quarter..][..quarter],
            &b[(2 * k + 1) * quarter..][..quarter],
        );
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

fn add_product(c: &mut [f64], a: &[f64], b: &[f64]) {
    for (c_row, a_row) in c.chunks_exact_mut(BASE).zip(a.chunks_exact(BASE)) {
        for (factor, b_row) in a_row.iter().zip(b.chunks_exact(BASE)) {
            for (element, other) in c_row.iter_mut().zip(b_row) {
                *element += factor * other;
            }
        }
    }
}

/// Where an element is stored: the quadrants lie one behind the other, down to blocks of `BASE` rows.
fn element(mut size: usize, mut row: usize, mut column: usize) -> usize {
    let mut start = 0;
    while size > BASE {
        size /= 2;
        start += (row / size * 2 + column / size) * size * size;
        row %= size;
        column %= size;
    }
    start + row * size + column
}

fn times_vector(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    let size = vector.len();
    let row = |row| {
        (0..size)
            .map(|column| matrix[element(size, row, column)] * vector[column])
            .sum()
    };
    (0..size).map(row).collect()
}

/// The queens' columns, from the first row on.
#[derive(Clone, Copy, Default)]
struct Board {
    columns: [u8; SOLUTIONS.len() - 1],
    rows: usize,
}

impl Board {
    fn is_safe(&self, column: u8) -> bool {
        let queens = self.columns[..self.rows].iter().rev();
        queens
            .zip(1..)
            .all(|(&queen, distance)| queen != column && queen.abs_diff(column) != distance)
    }

    fn with_queen(mut self, column: u8) -> Self {
        self.columns[self.rows] = column;
        self.rows += 1;
        self
    }
}

fn queens(board: Board, size: usize, cutoff: usize) -> u64 {
    if board.rows >= cutoff || board.rows == size {
        return serial_queens(board, size);
    }
    let safe: Vec<u8> = (0..size as u8)
        .filter(|&column| board.is_safe(column))
        .collect();
    safe.into_par_iter()
        .with_max_len(1)
        .map(|column| queens(board.with_queen(column), size, cutoff))
        .sum()
}

fn serial_queens(board: Board, size: usize) -> u64 {
    if board.rows == size {
        return 1;
    }
    let safe = (0..size as u8).filter(|&column| board.is_safe(column));
    safe.map(|column| serial_queens(board.with_queen(column), size))
        .sum()
}

fn cilksort(numbers: &mut [u64], room: &mut [u64], cutoff: usize) {
    if numbers.len() < cutoff {
        return serial_quicksort(numbers);
    }
    let half = numbers.len() / 2;
    let quarter = half / 2;
    {
        let (left, right) = numbers.split_at_mut(half);
        let (a, b) = left.split_at_mut(quarter);
        let (c, d) = right.split_at_mut(quarter);
        let (room_left, room_right) = room.split_at_mut(half);
        let (room_a, room_b) = room_left.split_at_mut(quarter);
        let (room_c, room_d) = room_right.split_at_mut(quarter);
        rayon::join(
            || {
                rayon::join(
                    || cilksort(a, room_a, cutoff),
                    || cilksort(b, room_b, cutoff),
                )
            },
            || {
                rayon::join(
                    || cilksort(c, room_c, cutoff),
                    || cilksort(d, room_d, cutoff),
                )
            },
        );
        rayon::join(
            || merge(a, b, room_left, cutoff),
            || merge(c, d, room_right, cutoff),
        );
    }
    let (left, right) = room.split_at(half);
    merge(left, right, numbers, cutoff);
}

fn merge(a: &[u64], b: &[u64], merged: &mut [u64], cutoff: usize) {
    if merged.len() < cutoff {
        return serial_merge(a, b, merged);
    }
    if a.len() < b.len() {
        return merge(b, a, merged, cutoff);
    }
    let middle = a.len() / 2;
    let cut = b.partition_point(|&number| number < a[middle]);
    let (low, high) = merged.split_at_mut(middle + cut);
    rayon::join(
        || merge(&a[..middle], &b[..cut], low, cutoff),
        || merge(&a[middle..], &b[cut..], high, cutoff),
    );
}

fn serial_merge<'a>(mut a: &'a [u64], mut b: &'a [u64], merged: &mut [u64]) {
    for place in merged {
        let from_a = b.is_empty() || (!a.is_empty() && a[0] <= b[0]);
        let source = if from_a { &mut a } else { &mut b };
        *place = source[0];
        *source = &source[1..];
    }
}

fn random_numbers(count: usize) -> Vec<u64> {
    let mut random = Xorshift::new(1);
    (0..count).map(|_| random.next_u64()).collect()
}

/// Runs a computation on a thread of the pool, as a named part of the profile.
fn computed<T: Send>(compute: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|_| workspan::in_region("compute", compute))
}

fn sorts(count: usize, sort: impl FnOnce(&mut [u64], &mut [u64]) + Send) -> bool {
    let mut numbers = random_numbers(count);
    let mut expected = numbers.clone();
    // Not zeros, so that the pages are there when the clock runs.
    let mut room = vec![1; count];
    computed(|| sort(&mut numbers, &mut room));
    expected.sort_unstable();
    numbers == expected
}

/// Is the product right? Freivalds' check: C·x = A·(B·x), all of it whole numbers.
fn multiplies(size: usize) -> bool {
    let numbers = random_numbers(size * size);
    let a: Vec<f64> = numbers
        .iter()
        .map(|number| (number % 17) as f64 - 8.0)
        .collect();
    let b: Vec<f64> = numbers
        .iter()
        .map(|number| (number / 17 % 17) as f64 - 8.0)
        .collect();
    let mut c = vec![0.0; size * size];
    c.fill(std::hint::black_box(0.0));
    computed(|| multiply(&mut c, &a, &b, size));
    let x: Vec<f64> = (0..size).map(|i| (i * 7_919 % 1_000) as f64).collect();
    times_vector(&c, &x) == times_vector(&a, &times_vector(&b, &x))
}

/// Runs a program; is its answer right?
fn is_right(program: &str, size: usize, cutoff: usize) -> bool {
    match program {
        "fib" => computed(|| fib(size, cutoff)) == fib_by_addition(size),
        "quicksort" => sorts(size, |numbers, _| quicksort(numbers, cutoff)),
        "matmul" => multiplies(size),
        "nqueens" => computed(|| queens(Board::default(), size, cutoff)) == SOLUTIONS[size],
        _ => sorts(size, |numbers, room| cilksort(numbers, room, cutoff)),
    }
}

fn main() {
    let (program, size, cutoff) = Arguments::read_from_process(USAGE, |arguments| {
        let programs =
            ["fib", "quicksort", "matmul", "nqueens", "cilksort"].map(|name| (name, name));
        let program = arguments.choice("PROGRAM", &programs)?;
        let (size, sizes, cutoffs) = match program {
            "fib" => (32, 0..=50, 2..=50),
            "matmul" => (512, BASE..=4_096, 0..=BASE),
            "nqueens" => (12, 0..=SOLUTIONS.len() - 1, 0..=SOLUTIONS.len()),
            _ => (2_000_000, 1..=1_000_000_000, FEW..=1_000_000_000),
        };
        let size = arguments.number("SIZE", size, sizes)?;
        let cutoff = arguments.number("CUTOFF", *cutoffs.end(), cutoffs)?;
        if program == "matmul" && !size.is_power_of_two() {
            return Err(arguments.bad(format!("SIZE is '{size}': give a power of two")));
        }
        Ok((program, size, cutoff))
    });
    assert!(is_right(program, size, cutoff), "the answer is wrong");
    println!("{program} {size} {cutoff}: right");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answers_are_right() {
        let problems = [
            ("fib", 20, 2),
            ("fib", 20, 10),
            ("quicksort", 20_000, 32),
            ("quicksort", 1, 100),
            ("matmul", 32, 32),
            ("matmul", 128, 32),
            ("nqueens", 0, 3),
            ("nqueens", 8, 3),
            ("nqueens", 6, 13),
            ("cilksort", 20_000, 32),
            ("cilksort", 33, 32),
        ];
        for (program, size, cutoff) in problems {
            assert!(is_right(program, size, cutoff), "{program} {size} {cutoff}");
        }
    }
}
