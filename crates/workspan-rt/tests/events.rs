//! Tasks reported by events, for Miri: frames and handles that move from task to task and from
//! thread to thread. Beyond a few figures, the oracle checks the profiles (`workspan-testkit`).
#![cfg(not(loom))]

use std::sync::{Mutex, PoisonError};
use std::thread;
use workspan_rt::clock::{advance, Clock};
use workspan_rt::events::{At, Construct, Task};
use workspan_rt::session::{self, Config};
use workspan_rt::{start_unobserved, Kind};

const TASK: Construct = Construct {
    kind: Kind::Task,
    at: At::Code(1),
};

/// The work and the span of `program`, in ticks.
fn figures(program: impl FnOnce(&Task)) -> (i64, i64) {
    static SESSION: Mutex<()> = Mutex::new(());
    let _one_at_a_time = SESSION.lock().unwrap_or_else(PoisonError::into_inner);
    session::start(Config {
        clock: Clock::Virtual,
        ..Config::default()
    });
    program(&Task::running().expect("a session is under way"));
    let profile = session::finish().expect("a session is under way");
    let number = |line: &str, field: usize| -> i64 {
        let field = line.split(' ').nth(field).expect("a field");
        field.parse().expect("a number")
    };
    let lines = |key| {
        profile
            .lines()
            .filter(move |line: &&str| line.starts_with(key))
    };
    let work = lines("work ").map(|line| number(line, 2)).sum();
    let span = lines("span_ticks ").map(|line| number(line, 1)).sum();
    (work, span)
}

fn spawn(task: &Task) -> Task {
    task.spawn(&TASK).expect("a session is under way")
}

/// Each call spawns two tasks, which its thread executes at once, as OpenMP's runtime does. A leaf
/// takes a tick.
fn fib(task: &Task, n: i64) {
    if n < 2 {
        return advance(1);
    }
    for n in [n - 1, n - 2] {
        let child = spawn(task);
        task.turn_to(&child);
        fib(&child, n);
        child.end_and_turn_to(task);
    }
    task.leave();
    task.enter_after_children();
}

#[test]
fn a_thread_turns_from_task_to_task() {
    // fib(8) has 34 leaves, all of them parallel.
    assert_eq!(figures(|program| fib(program, 8)), (34, 1));
}

/// Runs `f` on another thread, while this one waits.
fn elsewhere(f: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let other = start_unobserved(|| scope.spawn(f));
        start_unobserved(|| other.join()).expect("does not panic");
    });
}

#[test]
fn tasks_end_on_other_threads_than_they_began() {
    let rounds = if cfg!(miri) { 5 } else { 2_000 };
    let found = figures(|program| {
        for _ in 0..rounds {
            // Each is longer than those before it.
            let tasks = [1, 2, 3].map(|ticks| (spawn(program), ticks));
            program.leave();
            for (task, _) in &tasks {
                task.enter();
                advance(1);
                task.leave();
            }
            elsewhere(|| {
                for (task, ticks) in &tasks {
                    task.enter();
                    advance(*ticks);
                    task.end();
                }
            });
            program.enter_after_children();
        }
    });
    assert_eq!(found, (9 * rounds, 4 * rounds));
}

#[test]
fn only_its_thread_goes_on_with_a_task_that_it_turned_from() {
    let found = figures(|program| {
        let (task, other) = (spawn(program), spawn(program));
        program.turn_to(&task);
        advance(5);
        task.turn_to(&other);
        advance(1);
        // Refused: what the thread does belongs to no task.
        elsewhere(|| {
            task.enter();
            advance(100);
            task.end();
        });
        other.end_and_turn_to(&task);
        advance(2);
        task.end_and_turn_to(program);
        program.wait_for_children();
    });
    assert_eq!(found, (8, 7));
}

#[test]
fn a_turn_from_a_task_that_does_not_run_begins_the_next_at_that_moment() {
    let found = figures(|program| {
        let (idle, task) = (spawn(program), spawn(program));
        program.leave();
        advance(50);
        idle.turn_to(&task);
        advance(3);
        task.end();
        program.enter_after_children();
    });
    assert_eq!(found, (3, 3));
}
