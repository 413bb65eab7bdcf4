//! Tasks that hinder one another in one region of a program, and in no other.
//!
//! The program of TaskProf's Fig. 3.2 (a), whose tasks write results into an array, between two
//! regions that write nothing which others read: one computes in registers, the other reads a
//! shared table. All results of the second region are in one cache line, so that every write takes
//! it away from other cores, though no task uses another's result. Padded ones have own lines.
//!
//! What workspan should show, by `cargo workspan inflate --example interference -- shared`:
//! - work inflation in the region `write` and its `join`, to several times the one-worker run; none
//!   in `compute` and `read`. The finding is WS010;
//! - `padded`, `compute` and `read`: no inflation anywhere.

use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use workspan_examples::{Arguments, Xorshift, effort};

const USAGE: &str = "usage: interference shared|padded|compute|read [ROUNDS]
  shared   all three regions, the results of all tasks in one line of the cache
  padded   all three regions, each result in lines of its own
  compute  the region that computes alone, twice
  read     the region that reads alone, twice
  ROUNDS   how long each task is, 1 to 1000000 [default: 400]";

#[derive(Clone, Copy, Debug)]
enum Program {
    Shared,
    Padded,
    Compute,
    Read,
}

/// Tasks of each region: as many as there are words in a cache line.
const TASKS: usize = 8;

/// Steps of a round that computes.
const STEPS: u32 = 10_000;

/// How often a round that reads goes through the table.
const READS: u64 = 50;

/// Results that a task writes in a round, one after the other, to the same word.
const WRITES: u64 = 2_000;

/// Words that all tasks read: few enough for the cache of each core.
const TABLE: usize = 2_048;

/// The first words of a cache line. The next line, which processors also fetch, is unused.
#[derive(Default)]
#[repr(align(128))]
struct Line([AtomicU64; TASKS]);

/// The place of each task's result.
#[derive(Default)]
struct Results {
    lines: [Line; TASKS],
    is_padded: bool,
}

impl Results {
    fn of_task(&self, task: usize) -> &AtomicU64 {
        if self.is_padded {
            &self.lines[task].0[0]
        } else {
            &self.lines[0].0[task]
        }
    }
}

fn compute(tasks: Range<usize>, rounds: u64) -> u64 {
    if tasks.len() == 1 {
        let seeds = (0..rounds).map(|round| tasks.start as u64 + round);
        return seeds
            .map(|seed| effort(seed, STEPS))
            .fold(0, u64::wrapping_add);
    }
    let (left, right) = halves(tasks);
    let (left, right) = rayon::join(|| compute(left, rounds), || compute(right, rounds));
    left.wrapping_add(right)
}

fn write(tasks: Range<usize>, results: &Results, rounds: u64) {
    if tasks.len() == 1 {
        let result = results.of_task(tasks.start);
        for write in 0..rounds * WRITES {
            result.fetch_add(write, Ordering::Relaxed);
        }
        return;
    }
    let (left, right) = halves(tasks);
    rayon::join(
        || write(left, results, rounds),
        || write(right, results, rounds),
    );
}

fn read(tasks: Range<usize>, table: &[u64], rounds: u64) -> u64 {
    if tasks.len() == 1 {
        let mut sum = 0_u64;
        for _ in 0..rounds * READS {
            let words = black_box(table).iter();
            sum = words.fold(sum, |sum, &word| sum.wrapping_add(word));
        }
        return sum;
    }
    let (left, right) = halves(tasks);
    let (left, right) = rayon::join(|| read(left, table, rounds), || read(right, table, rounds));
    left.wrapping_add(right)
}

fn halves(tasks: Range<usize>) -> (Range<usize>, Range<usize>) {
    let middle = tasks.start + tasks.len() / 2;
    (tasks.start..middle, middle..tasks.end)
}

/// The three regions, one after the other. Returns what the tasks have written.
fn all(is_padded: bool, rounds: u64) -> Vec<u64> {
    computing(rounds);
    let results = Results {
        is_padded,
        ..Results::default()
    };
    {
        let _region = workspan::region("write");
        write(0..TASKS, &results, rounds);
    }
    reading(rounds);
    let tasks = 0..TASKS;
    tasks
        .map(|task| results.of_task(task).load(Ordering::Relaxed))
        .collect()
}

fn computing(rounds: u64) {
    let _region = workspan::region("compute");
    black_box(compute(0..TASKS, rounds));
}

fn reading(rounds: u64) {
    let mut random = Xorshift::new(1);
    let table: Vec<u64> = (0..TABLE).map(|_| random.next_u64()).collect();
    let _region = workspan::region("read");
    black_box(read(0..TASKS, &table, rounds));
}

fn main() {
    let (program, rounds) = Arguments::read_from_process(USAGE, |arguments| {
        let programs = [
            ("shared", Program::Shared),
            ("padded", Program::Padded),
            ("compute", Program::Compute),
            ("read", Program::Read),
        ];
        Ok((
            arguments.choice("PROGRAM", &programs)?,
            arguments.number("ROUNDS", 400, 1..=1_000_000)? as u64,
        ))
    });
    match program {
        Program::Shared | Program::Padded => {
            let is_padded = matches!(program, Program::Padded);
            assert_eq!(
                all(is_padded, rounds),
                expected(rounds),
                "a result is wrong"
            );
        }
        Program::Compute => (0..2).for_each(|_| computing(rounds)),
        Program::Read => (0..2).for_each(|_| reading(rounds)),
    }
    println!("interference {program:?}: {rounds} rounds");
}

/// What each task of the region `write` adds up.
fn expected(rounds: u64) -> Vec<u64> {
    let writes = rounds * WRITES;
    vec![writes * (writes - 1) / 2; TASKS]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_layouts_have_the_same_results() {
        for is_padded in [false, true] {
            assert_eq!(all(is_padded, 2), expected(2));
        }
    }

    #[test]
    fn layouts_are_what_they_are_called() {
        let line = |word: &AtomicU64| std::ptr::from_ref(word).addr() / 64;
        let mut results = Results::default();
        assert_eq!(line(results.of_task(0)), line(results.of_task(TASKS - 1)));
        results.is_padded = true;
        assert!(line(results.of_task(0)) + 2 <= line(results.of_task(1)));
    }
}
