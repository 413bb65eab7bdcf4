//! What samples stand for, and samples of threads that run no strand.
#![cfg(not(any(loom, miri)))]

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use workspan_rt::clock::{advance, Clock};
use workspan_rt::events::{At, Construct, Task};
use workspan_rt::session::{self, Config};
use workspan_rt::{sample_here, start_unobserved, Kind};

/// Samples `program`, and returns what follows each of `names` in the profile's records.
fn records<const N: usize>(names: [&str; N], program: impl FnOnce(&Task)) -> [Vec<String>; N] {
    session::start(Config {
        clock: Clock::Virtual,
        sample_rate: 100,
        ..Config::default()
    });
    program(&Task::running().unwrap());
    let text = session::finish().unwrap();
    names.map(|name| {
        let lines = text.lines().filter_map(|line| line.strip_prefix(name));
        lines.map(|line| line.trim().to_owned()).collect()
    })
}

/// One after the other on one thread: that of another test could be seen at its end.
#[test]
fn samples_tell_strands_and_elapsed_time() {
    what_a_thread_runs_outside_of_strands_is_sampled_apart();
    elapsed_time_is_divided_among_the_strands_that_run();
}

fn what_a_thread_runs_outside_of_strands_is_sampled_apart() {
    let [stacks, outside, timeline] = records(["stack ", "outside ", "timeline "], |root| {
        advance(10_000_000);
        sample_here(1, 0x1111);
        root.leave();
        sample_here(3, 0x2222);
        sample_here(2, 0x3333);
        sample_here(4, 0x2222);
        root.enter();
        sample_here(1, 0x1111);
        advance(10_000_000);
    });
    assert_eq!(stacks, ["0 2 2 2 - 1111 0 - -"]);
    assert_eq!(outside, ["7 2222 0 - -", "2 3333 0 - -"]);
    assert_eq!(timeline, ["8000000 0 0 2 9 0 0"]);
}

fn elapsed_time_is_divided_among_the_strands_that_run() {
    const TASK: Construct = Construct {
        kind: Kind::Task,
        at: At::Code(1),
    };
    let [stacks] = records(["stack "], |root| {
        let child = root.spawn(&TASK).unwrap();
        // Spinning, since the engine would see to a wait in the kernel.
        let phase = AtomicU32::new(0);
        let reach = |next: u32| phase.store(next, Ordering::SeqCst);
        let await_phase = |wanted: u32| {
            while phase.load(Ordering::SeqCst) != wanted {
                std::hint::spin_loop();
            }
        };
        let run_child = || {
            child.enter();
            advance(1);
            // The other thread runs its strand meanwhile.
            sample_here(8, 0x2222);
            child.end();
            reach(1);
            await_phase(2);
        };
        thread::scope(|scope| {
            let other = start_unobserved(|| scope.spawn(run_child));
            advance(1);
            await_phase(1);
            sample_here(2, 0x3333);
            reach(2);
            start_unobserved(|| other.join()).unwrap();
        });
    });
    let elapsed = |instruction: &str| -> f64 {
        let is_it = |stack: &&String| stack.split(' ').nth(5) == Some(instruction);
        let stack = stacks.iter().find(is_it).unwrap();
        stack.split(' ').nth(3).unwrap().parse().unwrap()
    };
    // Where there is one processor, strands take turns.
    let processors = thread::available_parallelism().unwrap().get().min(2);
    assert_eq!(elapsed("3333"), 2.0);
    assert_eq!(elapsed("2222"), 8.0 / processors as f64);
}
