//! Fibonacci numbers by the recursion that defines them, with a task for every call and no cutoff.
//!
//! From the Cilk-5 distribution; Cilkprof, Fig. 5, and its overhead in Fig. 11 (fib 35). It
//! measures tasking itself: a call does nothing else.

use std::process::ExitCode;

use workspan_suite::{size, timed, verdict};

const USAGE: &str = "usage: fib [N]
  N  which Fibonacci number, 0 to 50 [default: 40]";

fn fib(n: usize) -> u64 {
    if n < 2 {
        return n as u64;
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn fib_by_addition(n: usize) -> u64 {
    let (mut current, mut next) = (0, 1);
    for _ in 0..n {
        (current, next) = (next, current + next);
    }
    current
}

fn main() -> ExitCode {
    let n = size(USAGE, 40, 0..=50);
    let number = timed("fib", || fib(n));
    verdict(number == fib_by_addition(n))
}
