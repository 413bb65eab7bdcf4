//! Sweeps made up for tests.

use workspan_model::{
    Exit, Nanos, Pinning, RunKind, SWEEP_VERSION, Sweep, SweepMachine, SweepRun, Worker, Workers,
};

/// A sweep on a machine of `cores` cores.
pub fn sweep(cores: u32, runs: Vec<SweepRun>) -> Sweep {
    Sweep {
        version: SWEEP_VERSION,
        command: vec!["program".to_owned()],
        program_digest: None,
        baseline_digest: None,
        baseline: Some(vec!["sequential".to_owned()]),
        threads_variable: Some("RAYON_NUM_THREADS".to_owned()),
        pinning: Pinning::None,
        runtime: None,
        stand_in: None,
        launcher: None,
        machine: SweepMachine {
            cores,
            ..SweepMachine::default()
        },
        started_at: 0,
        threads: Vec::new(),
        runs_wanted: 5,
        seed: 0,
        workspan_version: "0.0.0".to_owned(),
        runs,
    }
}

pub fn run(kind: RunKind, threads: u32, elapsed: i64) -> SweepRun {
    SweepRun {
        kind,
        threads,
        copies: 1,
        order: 0,
        is_warm_up: false,
        elapsed: Nanos::from_nanos(elapsed),
        user: Nanos::from_nanos(elapsed),
        system: Nanos::ZERO,
        lacked: None,
        workers: None,
        exit: Exit::Code(0),
        timed_out: false,
        same_output: None,
    }
}

/// A run all of which was measured, with so much idle time in all.
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
