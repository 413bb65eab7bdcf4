//! Counts the ways to place n queens on a board of n × n so that none attacks another.
//!
//! From the Cilk-5 distribution (by Keith Randall); Cilkprof, Fig. 11 (12 × 12). There is a task
//! for every square that is safe, on every row, with a copy of the board and no cutoff.

use std::process::ExitCode;

use rayon::prelude::*;
use workspan_suite::{size, timed, verdict};

const USAGE: &str = "usage: nqueens [N]
  N  rows of the board, 1 to 16 [default: 13]";

/// The numbers of solutions, starting with a board of one row (OEIS A000170).
const SOLUTIONS: [u64; 16] = [
    1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2_680, 14_200, 73_712, 365_596, 2_279_184, 14_772_512,
];

/// The queens' columns, starting with the first row.
#[derive(Clone, Copy, Default)]
struct Board {
    columns: [u8; SOLUTIONS.len()],
    rows: usize,
}

impl Board {
    fn is_safe(&self, column: u8) -> bool {
        self.columns[..self.rows]
            .iter()
            .rev()
            .zip(1..)
            .all(|(&queen, distance)| queen != column && queen.abs_diff(column) != distance)
    }

    fn with_queen(mut self, column: u8) -> Self {
        self.columns[self.rows] = column;
        self.rows += 1;
        self
    }
}

fn count_solutions(board: Board, size: usize) -> u64 {
    if board.rows == size {
        return 1;
    }
    let safe_columns: Vec<u8> = (0..size as u8)
        .filter(|&column| board.is_safe(column))
        .collect();
    safe_columns
        .into_par_iter()
        .with_max_len(1)
        .map(|column| count_solutions(board.with_queen(column), size))
        .sum()
}

fn main() -> ExitCode {
    let size = size(USAGE, 13, 1..=SOLUTIONS.len());
    let solutions = timed("nqueens", || count_solutions(Board::default(), size));
    verdict(solutions == SOLUTIONS[size - 1])
}
