//! Parallel work, the same in each run.

use rayon::prelude::*;

/// By joins and by a parallel iterator.
pub fn some() -> u64 {
    fib(14) + loop_over(10_000)
}

pub fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

pub fn loop_over(items: u64) -> u64 {
    (0..items).into_par_iter().map(|n| n * n % 7).sum()
}

/// Work of at least so many milliseconds.
pub fn for_millis(millis: u64) -> u64 {
    let start = std::time::Instant::now();
    let mut sum = 0;
    while start.elapsed().as_millis() < u128::from(millis) {
        sum |= some();
    }
    sum
}

/// A call of the system's library, whose error ends the program.
pub fn check(result: i32) -> i32 {
    assert!(result >= 0, "{}", std::io::Error::last_os_error());
    result
}
