//! Samples of threads that run no strand.
#![cfg(not(any(loom, miri)))]

use workspan_rt::clock::{advance, Clock};
use workspan_rt::events::Task;
use workspan_rt::sample_here;
use workspan_rt::session::{self, Config};

#[test]
fn what_a_thread_runs_outside_of_strands_is_sampled_apart() {
    session::start(Config {
        clock: Clock::Virtual,
        sample_rate: 100,
        ..Config::default()
    });
    advance(5);
    sample_here(1, 0x1111);
    let root = Task::running().unwrap();
    root.leave();
    sample_here(3, 0x2222);
    sample_here(2, 0x3333);
    sample_here(4, 0x2222);
    root.enter();
    sample_here(1, 0x1111);
    advance(5);
    let text = session::finish().unwrap();
    let records = |name: &str| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix(name));
        lines.map(|line| line.trim().to_owned()).collect()
    };
    assert_eq!(records("stack "), ["0 2 2 1111 0 - -"]);
    assert_eq!(records("outside "), ["7 2222 0 - -", "2 3333 0 - -"]);
}
