//! The papers' programs in rayon, compared with `examples/c/openmp.c` and `examples/c/tbb.cpp`.
//!
//! They have the same recursion, sizes, cutoffs and serial steps (`examples/c/serial.h`).
//! `xtask truth runtimes` compares them.

use rayon::prelude::*;
use workspan_examples::{
    Arguments, Matrix, cilksort, insertion_sort, is_product, multiply, partition, random_numbers,
};

const USAGE: &str = "usage: side_by_side PROGRAM SIZE CUTOFF
  PROGRAM  fib, quicksort, matmul, nqueens or cilksort
  SIZE     which Fibonacci number, how many numbers to sort, rows of the matrices or of the board
  CUTOFF   what is smaller than this is computed without tasks; for nqueens: rows whose queens are tasks";

/// Fewer numbers than these are sorted by insertion.
const FEW: usize = 32;

/// Rows of the largest matrices that are multiplied serially: about 10 µs.
const BASE: usize = 32;

/// The numbers of solutions, starting with a board of no rows (OEIS A000170).
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

/// The queens' columns, starting with the first row.
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

/// Runs a computation on a thread of the pool, as a named part of the profile.
fn computed<T: Send>(compute: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|_| workspan::in_region("compute", compute))
}

fn sorts(count: usize, sort: impl FnOnce(&mut [u64], &mut [u64]) + Send) -> bool {
    let mut numbers = random_numbers(count, 1);
    let mut expected = numbers.clone();
    // Not zeros, so that the pages exist when the time begins.
    let mut room = vec![1; count];
    computed(|| sort(&mut numbers, &mut room));
    expected.sort_unstable();
    numbers == expected
}

/// Whether the product is right.
fn multiplies(size: usize) -> bool {
    let a = Matrix::random(size, BASE, 1);
    let b = Matrix::random(size, BASE, 2);
    let mut c = Matrix::zero(size, BASE);
    // So that the pages exist when the time begins.
    c.elements.fill(std::hint::black_box(0.0));
    computed(|| multiply::<BASE>(&mut c.elements, &a.elements, &b.elements, size));
    is_product(&c, &a, &b)
}

/// Runs a program. Returns whether its answer is right.
fn is_right(program: &str, size: usize, cutoff: usize) -> bool {
    match program {
        "fib" => computed(|| fib(size, cutoff)) == fib_by_addition(size),
        "quicksort" => sorts(size, |numbers, _| quicksort(numbers, cutoff)),
        "matmul" => multiplies(size),
        "nqueens" => computed(|| queens(Board::default(), size, cutoff)) == SOLUTIONS[size],
        _ => sorts(size, |numbers, room| {
            cilksort(numbers, room, cutoff, serial_quicksort);
        }),
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
