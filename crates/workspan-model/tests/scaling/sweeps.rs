//! Sweeps for tests.

pub use workspan_model::example::sweep;
use workspan_model::example::sweep_run;
use workspan_model::{Nanos, RunKind, SweepRun, Worker, Workers};

pub fn run(kind: RunKind, threads: u32, elapsed: i64) -> SweepRun {
    sweep_run(kind, threads, Nanos::from_nanos(elapsed))
}

/// A run that was measured throughout, with this total idle time.
pub fn idle_run(threads: u32, elapsed: i64, idle: i64) -> SweepRun {
    let available = elapsed * i64::from(threads);
    SweepRun {
        workers: Some(Workers {
            elapsed: Nanos::from_nanos(elapsed),
            outside: Nanos::ZERO,
            workers: vec![Worker {
                work: Nanos::from_nanos(available - idle),
                scheduling: Nanos::ZERO,
                idle: Nanos::from_nanos(idle),
                idle_parts: Vec::new(),
            }],
        }),
        ..run(RunKind::Idle, threads, elapsed)
    }
}

/// Copies that ran at once.
pub fn copies(order: u32, elapsed: &[i64]) -> Vec<SweepRun> {
    let copy = |&time: &i64| SweepRun {
        copies: elapsed.len() as u32,
        order,
        ..run(RunKind::Copy, 1, time)
    };
    elapsed.iter().map(copy).collect()
}
