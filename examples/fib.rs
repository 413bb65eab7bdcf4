//! Fibonacci numbers by their recursion, with a task for every call unless there is a cutoff.
//!
//! The cost of tasking itself: `fib(n)` makes about φⁿ calls, each a handful of instructions
//! between two forks. Work grows as φⁿ, span as n, so the parallelism grows as φⁿ/n: for n = 32 it
//! is in the thousands (Cilkprof, Fig. 7, reports 1,799 to 11,166 for fib(30), by call site).
//!
//! What workspan should show:
//! - 3.5 million spawns, as many syncs, an average strand of a few nanoseconds;
//! - a tasking overhead of the order of the work: *that* is why the program is slow, and the cure
//!   is a cutoff, not more parallelism;
//! - a parallelism in the thousands for the `join` and in the hundreds for the whole program: the
//!   recursion has a span of tens of microseconds, less than that of starting a pool of threads;
//! - a burdened parallelism below that: the burden adds a migration of microseconds to each of n
//!   levels, whose own strands take nanoseconds;
//! - the finding WS002, tasks too fine, and none with the cutoff of `fib 40 20`: calls below it
//!   make no tasks for their ten or so microseconds of work.

use std::time::Instant;

use workspan_examples::Arguments;

const USAGE: &str = "usage: fib [N [CUTOFF]]
  N       which Fibonacci number, 0 to 50 [default: 32]
  CUTOFF  numbers below this one are computed without tasks, 2 to 50 [default: 2]";

fn fib(n: usize, cutoff: usize) -> u64 {
    if n < cutoff {
        return serial_fib(n);
    }
    let (a, b) = rayon::join(|| fib(n - 1, cutoff), || fib(n - 2, cutoff));
    a + b
}

fn serial_fib(n: usize) -> u64 {
    if n < 2 {
        return n as u64;
    }
    serial_fib(n - 1) + serial_fib(n - 2)
}

fn fib_by_addition(n: usize) -> u64 {
    let (mut current, mut next) = (0, 1);
    for _ in 0..n {
        (current, next) = (next, current + next);
    }
    current
}

fn main() {
    let (n, cutoff) = Arguments::read_from_process(USAGE, |arguments| {
        Ok((
            arguments.number("N", 32, 0..=50)?,
            arguments.number("CUTOFF", 2, 2..=50)?,
        ))
    });
    let started = Instant::now();
    let result = fib(n, cutoff);
    let elapsed = started.elapsed();
    assert_eq!(result, fib_by_addition(n), "fib({n}) is wrong");
    println!("fib({n}) = {result} in {:.3} s", elapsed.as_secs_f64());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers() {
        let numbers: Vec<u64> = (0..10).map(|n| fib(n, 2)).collect();
        assert_eq!(numbers, [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]);
    }

    #[test]
    fn recursion_and_addition_agree() {
        for cutoff in [2, 10, 30] {
            assert_eq!(fib(20, cutoff), fib_by_addition(20));
        }
    }
}
