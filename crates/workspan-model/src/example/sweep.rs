//! A sweep and its runs.

use crate::{Exit, Nanos, Pinning, RunKind, SWEEP_VERSION, Sweep, SweepMachine, SweepRun};

/// A sweep of a program and a sequential one, with these runs, on a machine of `cores` cores.
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

/// A run that ended well and kept one processor busy.
pub fn sweep_run(kind: RunKind, threads: u32, elapsed: Nanos) -> SweepRun {
    SweepRun {
        kind,
        threads,
        copies: 1,
        order: 0,
        is_warm_up: false,
        elapsed,
        user: elapsed,
        system: Nanos::ZERO,
        lacked: None,
        workers: None,
        exit: Exit::Code(0),
        timed_out: false,
        same_output: None,
    }
}
