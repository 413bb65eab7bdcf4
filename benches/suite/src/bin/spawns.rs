//! A scope that spawns millions of tasks one by one: how many steps Collatz's rule takes from
//! each number to 1.
//!
//! Typical of programs that used to have a queue of jobs. The loop that spawns is serial, each task
//! is on the heap, and the tasks wait until a thread takes them.

use std::process::ExitCode;

use workspan_suite::{size, timed, verdict};

const USAGE: &str = "usage: spawns [TASKS]
  TASKS  how many, 1 to 100000000 [default: 6000000]";

fn collatz_steps(start: u64) -> u32 {
    let mut number = start;
    let mut steps = 0;
    while number != 1 {
        number = if number.is_multiple_of(2) {
            number / 2
        } else {
            3 * number + 1
        };
        steps += 1;
    }
    steps
}

/// The steps of all numbers from 1 to `count`, each from the steps of a smaller one.
fn all_collatz_steps(count: usize) -> Vec<u32> {
    let mut all: Vec<u32> = Vec::with_capacity(count);
    for start in 1..=count as u64 {
        let mut number = start;
        let mut steps = 0;
        while number >= start && number != 1 {
            number = if number.is_multiple_of(2) {
                number / 2
            } else {
                3 * number + 1
            };
            steps += 1;
        }
        let known = if start == 1 {
            0
        } else {
            all[number as usize - 1]
        };
        all.push(steps + known);
    }
    all
}

fn main() -> ExitCode {
    let tasks = size(USAGE, 6_000_000, 1..=100_000_000);
    let mut steps = vec![0; tasks];
    timed("spawns", || {
        rayon::scope(|scope| {
            for (steps, start) in steps.iter_mut().zip(1..) {
                scope.spawn(move |_| *steps = collatz_steps(start));
            }
        });
    });
    verdict(steps == all_collatz_steps(tasks))
}
