//! Array passes, memory-bound or not: the microbenchmark of Acar, Charguéraud and Rainey (§4).
//!
//! Each pass reads every cell, adds L times and writes it back. A task takes 1,000 cells, G cells
//! apart: the i-th is cell (iG + ⌊iG/M⌋) mod M. A greater gap means more cache misses, a greater
//! load hides them, and an array that fits the caches has none.
//!
//! What `workspan scale --factored` should show:
//! - an array that fits a cache (`microbenchmark 1000000 1 1 800`): nearly maximal speedup;
//! - a smaller one with a gap (`microbenchmark 100000 1 32 8000`): work inflation from writes to
//!   the same cache lines, as in false sharing;
//! - an array far beyond the caches (`microbenchmark 64000000 1 32 4`): work inflation, little idle
//!   time: memory is the limit;
//! - the same with a load of 8 or more: less inflation, but no more cells per second (Fig. 6).

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use workspan_examples::Arguments;

const USAGE: &str = "usage: microbenchmark [SIZE [LOAD [GAP [REPEATS [WAY]]]]]
  SIZE     cells of the array, 1 to 1000000000 [default: 4000000]
  LOAD     additions for each cell, 1 to 1000000 [default: 1]
  GAP      distance of the cells that a task takes, 1 to 1000000, a divisor of SIZE [default: 32]
  REPEATS  passes over the array, 1 to 1000000 [default: 20]
  WAY      parallel, or serial: the baseline, without tasks [default: parallel]";

/// Cells that a task takes.
const TASK: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Parallel,
    Serial,
}

struct Microbenchmark {
    cells: Vec<AtomicU64>,
    load: u64,
    gap: usize,
}

impl Microbenchmark {
    fn new(size: usize, load: u64, gap: usize) -> Self {
        let cells = (0..size).into_par_iter();
        Microbenchmark {
            cells: cells.map(|index| AtomicU64::new(index as u64)).collect(),
            load,
            gap,
        }
    }

    fn pass(&self, way: Way) {
        match way {
            Way::Parallel => self.process(0..self.cells.len()),
            Way::Serial => self.process_serially(0..self.cells.len()),
        }
    }

    fn process(&self, range: Range<usize>) {
        if range.len() <= TASK {
            return self.process_serially(range);
        }
        let middle = range.start + range.len() / 2;
        rayon::join(
            || self.process(range.start..middle),
            || self.process(middle..range.end),
        );
    }

    fn process_serially(&self, range: Range<usize>) {
        let size = self.cells.len();
        // Tracks the lap and the offset, since a division for each cell would hide the misses.
        let mut lap = range.start * self.gap / size;
        let mut offset = range.start * self.gap % size;
        for _ in range {
            // Only one task accesses a cell: relaxed accesses are plain ones to the processor.
            let cell = &self.cells[offset + lap];
            cell.store(
                added(cell.load(Ordering::Relaxed), self.load),
                Ordering::Relaxed,
            );
            offset += self.gap;
            if offset >= size {
                offset -= size;
                lap += 1;
            }
        }
    }

    /// Whether every cell has its value after this many passes.
    fn is_right_after(&self, passes: usize) -> bool {
        self.cells.par_iter().enumerate().all(|(index, cell)| {
            let expected = (0..passes).fold(index as u64, |value, _| added(value, self.load));
            cell.load(Ordering::Relaxed) == expected
        })
    }
}

/// A cell after `load` additions, which depend on one another: no multiplication replaces them.
fn added(value: u64, load: u64) -> u64 {
    (0..load).fold(value, |sum, step| sum.wrapping_add(value ^ step))
}

fn main() {
    let (size, load, gap, repeats, way) = Arguments::read_from_process(USAGE, |arguments| {
        let size = arguments.number("SIZE", 4_000_000, 1..=1_000_000_000)?;
        let load = arguments.number("LOAD", 1, 1..=1_000_000)?;
        let gap = arguments.number("GAP", 32, 1..=1_000_000)?;
        if !size.is_multiple_of(gap) {
            return Err(arguments.bad(format!("GAP {gap} does not divide SIZE {size}")));
        }
        let repeats = arguments.number("REPEATS", 20, 1..=1_000_000)?;
        let ways = [("parallel", Way::Parallel), ("serial", Way::Serial)];
        let way = arguments.choice_or("WAY", &ways, Way::Parallel)?;
        Ok((size, load as u64, gap, repeats, way))
    });
    let benchmark = Microbenchmark::new(size, load, gap);
    let started = Instant::now();
    for _ in 0..repeats {
        benchmark.pass(way);
    }
    let elapsed = started.elapsed();
    assert!(benchmark.is_right_after(repeats), "a cell is wrong");
    println!(
        "microbenchmark {way:?}: {repeats} passes over {size} cells, load {load}, gap {gap}, in {:.3} s",
        elapsed.as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_processed_once_in_a_pass() {
        for (size, gap) in [(1, 1), (7_000, 1), (64_000, 32), (9_999, 9_999)] {
            for way in [Way::Parallel, Way::Serial] {
                let benchmark = Microbenchmark::new(size, 3, gap);
                benchmark.pass(way);
                benchmark.pass(way);
                assert!(benchmark.is_right_after(2), "{size} {gap} {way:?}");
                assert!(!benchmark.is_right_after(1));
            }
        }
    }

    #[test]
    fn cells_are_taken_in_the_order_of_the_paper() {
        let (size, gap) = (12, 4);
        let order: Vec<usize> = (0..size)
            .map(|i| (i * gap + i * gap / size) % size)
            .collect();
        assert_eq!(order, [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
        let benchmark = Microbenchmark::new(size, 1, gap);
        benchmark.process_serially(2..5);
        let touched = |index: usize| benchmark.cells[index].load(Ordering::Relaxed) != index as u64;
        assert_eq!(
            (0..size)
                .filter(|&index| touched(index))
                .collect::<Vec<_>>(),
            [1, 5, 8]
        );
    }

    #[test]
    fn a_load_is_that_many_additions() {
        assert_eq!(added(6, 1), 12);
        assert_eq!(added(6, 3), 6 + 6 + 7 + 4);
    }
}
