//! Sweeps invented for tests.

pub mod samples;

use workspan_model::{
    Condition, Estimate, Exit, ExpectedScaling, IdlePhase, Nanos, Outcome, Pinning, Prediction,
    RunKind, SWEEP_VERSION, SpeedupLimits, Sweep, SweepMachine, SweepRun, Worker, Workers,
};

const MS: f64 = 1e6;

/// A sort with too small a cutoff on 8 cores, measured for everything: it idles, and its work
/// inflates from 4 cores on.
pub fn cilksort() -> Sweep {
    let mut sweep = sweep(&["/home/user/target/release/cilksort", "1000000", "200"], 8);
    sweep.baseline = Some(vec!["quicksort".to_owned(), "1000000".to_owned()]);
    sweep.machine.sockets = Some(2);
    sweep.machine.conditions = vec![Condition::Virtual, Condition::Busy { processors: 1.2 }];
    sweep.pinning = Pinning::Spread;
    for nth in 0..7 {
        sweep.runs.push(run(RunKind::Baseline, 1, 800.0, nth));
        sweep.runs.push(run(RunKind::Elision, 1, 870.0, nth));
        for (threads, time, idle) in [
            (1, 1000.0, 0.0),
            (2, 512.0, 14.0),
            (4, 285.0, 66.0),
            (8, 231.0, 280.0),
        ] {
            sweep.runs.push(run(RunKind::Plain, threads, time, nth));
            sweep.runs.push(idle_run(threads, time * 1.002, idle, nth));
        }
    }
    sweep
}

/// What was expected of [`cilksort`].
pub fn expected_of_cilksort() -> ExpectedScaling {
    let known = |low, high| Estimate {
        value: low,
        low,
        high,
    };
    let mut expected =
        ExpectedScaling::up_to(8, &SpeedupLimits::new(known(30.0, 31.0), known(24.0, 25.0)));
    expected.predictions = [(1, 1.0), (2, 1.97), (4, 3.8), (8, 7.1)]
        .map(|(cores, speedup)| prediction(&expected, cores, speedup))
        .into();
    expected
}

/// A copy of memory on the 2 cores of a small machine, with few runs and a test of its bandwidth.
pub fn memcpy() -> Sweep {
    let mut sweep = sweep(&["memcpy", "--threads", "{threads}"], 2);
    sweep.threads_variable = None;
    for nth in 0..3 {
        sweep.runs.push(run(RunKind::Plain, 1, 400.0, nth));
        sweep.runs.push(run(RunKind::Plain, 2, 360.0, nth));
        sweep.runs.push(copy(1, 0, 400.0, nth));
        sweep.runs.push(copy(2, 0, 720.0, nth));
        sweep.runs.push(copy(2, 1, 730.0, nth));
    }
    sweep
}

/// What was expected of [`memcpy`].
pub fn expected_of_memcpy() -> ExpectedScaling {
    let [parallelism, burdened] = [62.0, 60.0].map(Estimate::exactly);
    ExpectedScaling::up_to(2, &SpeedupLimits::new(parallelism, burdened))
}

/// Everything that can go wrong: no run on one thread ended well, the two others did, one of them
/// with another output.
pub fn bad() -> Sweep {
    let mut sweep = sweep(&["flaky"], 2);
    sweep.machine.processor = None;
    sweep.launcher = Some("srun -n1 -c {threads}".to_owned());
    sweep.runs = vec![
        SweepRun {
            exit: Exit::Signal(11),
            ..run(RunKind::Plain, 1, 10.0, 0)
        },
        SweepRun {
            timed_out: true,
            exit: Exit::Signal(15),
            ..run(RunKind::Plain, 1, 10.0, 1)
        },
        run(RunKind::Plain, 2, 10.0, 0),
        SweepRun {
            same_output: Some(false),
            ..run(RunKind::Plain, 4, 12.0, 0)
        },
    ];
    sweep
}

/// A program, and copies of it, measured while something else had one of two processors for most of
/// the time.
pub fn busy() -> Sweep {
    let mut sweep = sweep(&["matmul"], 2);
    sweep.baseline = Some(vec!["serial".to_owned()]);
    for nth in 0..6 {
        sweep.runs.push(run(RunKind::Baseline, 1, 395.0, nth));
        sweep.runs.push(run(RunKind::Plain, 1, 400.0, nth));
        sweep
            .runs
            .push(without(0.8, run(RunKind::Plain, 2, 350.0, nth)));
        sweep.runs.push(idle_run(1, 402.0, 0.0, nth));
        sweep.runs.push(without(0.8, idle_run(2, 351.0, 14.0, nth)));
        sweep.runs.push(copy(1, 0, 400.0, nth));
        for which in 0..2 {
            let copy = copy(2, which, 700.0, nth);
            sweep.runs.push(without(0.4, copy));
        }
    }
    sweep
}

/// A loop whose every iteration forks, with the figures of snippet B in docs/gallery/scaling: even
/// one thread waits for most of its time. There is no sequential program to compare with.
pub fn fine() -> Sweep {
    let mut sweep = sweep(&["snippets", "B"], 2);
    for nth in 0..6 {
        sweep.runs.push(run(RunKind::Elision, 1, 683.0, nth));
        for (threads, time, idle) in [(1, 2580.0, 1400.0), (2, 2662.0, 3860.0)] {
            sweep.runs.push(run(RunKind::Plain, threads, time, nth));
            sweep.runs.push(idle_run(threads, time, idle, nth));
        }
    }
    sweep
}

/// `run`, but for want of `processors` it got that much less processor time.
fn without(processors: f64, run: SweepRun) -> SweepRun {
    let lacked = Nanos::from_nanos_f64(run.elapsed.as_nanos() as f64 * processors);
    SweepRun {
        lacked: Some(lacked),
        user: run.user - lacked,
        ..run
    }
}

/// A program that does next to nothing, and does so on one thread.
pub fn tiny() -> Sweep {
    let mut sweep = sweep(&["true"], 2);
    for nth in 0..3 {
        sweep.runs.push(run(RunKind::Plain, 1, 1.5, nth));
        sweep.runs.push(SweepRun {
            user: Nanos::from_nanos_f64(MS),
            ..run(RunKind::Plain, 2, 1.6, nth)
        });
    }
    sweep
}

/// A program that ignores the number of threads.
pub fn serial() -> Sweep {
    let mut sweep = sweep(&["gzip", "file"], 2);
    for nth in 0..6 {
        for threads in [1, 2] {
            let run = run(RunKind::Plain, 1, 100.0, nth);
            sweep.runs.push(SweepRun { threads, ..run });
        }
    }
    sweep
}

fn sweep(command: &[&str], cores: u32) -> Sweep {
    Sweep {
        version: SWEEP_VERSION,
        command: command.iter().map(ToString::to_string).collect(),
        program_digest: None,
        baseline_digest: None,
        baseline: None,
        threads_variable: Some("RAYON_NUM_THREADS".to_owned()),
        pinning: Pinning::None,
        runtime: None,
        stand_in: None,
        launcher: None,
        machine: SweepMachine {
            cores,
            physical_cores: Some(cores),
            sockets: Some(1),
            processor: Some("Some Processor 3000".to_owned()),
            os: "linux".to_owned(),
            architecture: "x86_64".to_owned(),
            conditions: Vec::new(),
        },
        started_at: 1_700_000_000,
        threads: Vec::new(),
        runs_wanted: 7,
        seed: 0,
        workspan_version: "0.1.0".to_owned(),
        runs: Vec::new(),
    }
}

/// A run of about `milliseconds`.
fn run(kind: RunKind, threads: u32, milliseconds: f64, nth: u32) -> SweepRun {
    // From −1% to 1%, not in order.
    let noise = f64::from((nth * 3) % 7) / 300.0 - 0.01;
    let elapsed = Nanos::from_nanos_f64(milliseconds * MS * (1.0 + noise));
    SweepRun {
        kind,
        threads,
        copies: 1,
        order: nth,
        is_warm_up: false,
        elapsed,
        user: Nanos::from_nanos_f64(elapsed.as_nanos() as f64 * f64::from(threads) * 0.95),
        system: Nanos::from_nanos_f64(MS),
        lacked: Some(Nanos::ZERO),
        workers: None,
        exit: Exit::Code(0),
        timed_out: false,
        same_output: None,
    }
}

/// A run with `idle` milliseconds of idle time of all workers, all of it at the end.
fn idle_run(threads: u32, milliseconds: f64, idle: f64, nth: u32) -> SweepRun {
    let run = run(RunKind::Idle, threads, milliseconds, nth);
    let shares = (0..threads).map(|worker| f64::from(worker + 1) * 2.0 / f64::from(threads + 1));
    let workers = shares.map(|share| {
        let idle = Nanos::from_nanos_f64(idle * MS / f64::from(threads) * share);
        let scheduling = Nanos::from_nanos_f64(0.5 * MS);
        let work = run.elapsed - idle - scheduling;
        let mut worker = Worker {
            work,
            scheduling,
            idle,
            idle_parts: Vec::new(),
        };
        let phase = IdlePhase {
            from: run.elapsed - idle,
            to: run.elapsed,
            waited: idle,
        };
        worker.keep_idle_phase(phase, run.elapsed);
        worker
    });
    SweepRun {
        workers: Some(Workers {
            elapsed: run.elapsed,
            outside: Nanos::ZERO,
            workers: workers.collect(),
        }),
        ..run
    }
}

fn copy(copies: u32, which: u32, milliseconds: f64, nth: u32) -> SweepRun {
    SweepRun {
        copies,
        order: copies * 100 + nth,
        ..run(RunKind::Copy, 1, milliseconds, nth + which)
    }
}

fn prediction(expected: &ExpectedScaling, cores: u32, speedup: f64) -> Prediction {
    Prediction {
        cores,
        median: Outcome {
            time: Nanos::from_nanos_f64(1000.0 * MS / speedup),
            busy: Nanos::from_nanos_f64(1000.0 * MS),
            scheduling: Nanos::ZERO,
            idle: Nanos::ZERO,
            speedup,
            utilisation: speedup / f64::from(cores),
            steals: 0,
            failed_steals: 0,
            held_up: Nanos::ZERO,
            vertices: 0,
        },
        speedup: Estimate {
            value: speedup,
            low: speedup * 0.99,
            high: speedup,
        },
        seeds: 9,
        bounds: expected.bounds_on(cores).unwrap(),
    }
}
