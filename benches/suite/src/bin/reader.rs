//! Lines of a serial reader, processed in parallel through `par_bridge`: counts the primes.
//!
//! A reader gives one line at a time, so the tasks queue for it: rayon's documentation warns
//! against `par_bridge` for cheap items. A line of 16 numbers takes about ten microseconds here.

use std::fmt::Write as _;
use std::io::{BufRead, Cursor};
use std::process::ExitCode;

use rayon::prelude::*;
use workspan_suite::{Xorshift, size, timed, verdict};

const USAGE: &str = "usage: reader [LINES]
  LINES  lines of 16 numbers, 0 to 10000000 [default: 600000]";

/// All numbers are below this.
const LIMIT: usize = 1_000_000;

fn count_primes(lines: impl BufRead + Send) -> u64 {
    lines
        .lines()
        .par_bridge()
        .map(|line| {
            let line = line.expect("reading from memory does not fail");
            let numbers = line.split(' ').filter_map(|word| word.parse().ok());
            numbers.filter(|&number| is_prime(number)).count() as u64
        })
        .sum()
}

/// By trial division.
fn is_prime(number: u32) -> bool {
    let mut divisors = (2..).take_while(|divisor| divisor * divisor <= number);
    number >= 2 && divisors.all(|divisor| !number.is_multiple_of(divisor))
}

/// Whether each number below the limit is a prime, by the sieve of Eratosthenes.
fn sieve() -> Vec<bool> {
    let mut is_prime = vec![true; LIMIT];
    is_prime[..2].fill(false);
    for number in 2..LIMIT.isqrt() + 1 {
        if is_prime[number] {
            for multiple in (number * number..LIMIT).step_by(number) {
                is_prime[multiple] = false;
            }
        }
    }
    is_prime
}

fn main() -> ExitCode {
    let lines = size(USAGE, 600_000, 0..=10_000_000);
    let is_prime = sieve();
    let mut random = Xorshift::new(1);
    let mut text = String::new();
    let mut expected = 0;
    for _ in 0..lines {
        for column in 0..16 {
            let number = random.below(LIMIT as u64);
            expected += u64::from(is_prime[number as usize]);
            let separator = if column < 15 { ' ' } else { '\n' };
            let _ = write!(text, "{number}{separator}");
        }
    }
    let primes = timed("reader", || count_primes(Cursor::new(text)));
    verdict(primes == expected)
}
