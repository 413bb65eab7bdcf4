//! Time that another thread on the same processor takes is not work.
//!
//! Programs of known strands share one processor with a thread that never rests: the kernel takes
//! the processor away from them every few milliseconds. Their work must follow the processor time
//! that they used, not the time that passed. Each runs in a process of its own, because the engine
//! calibrates itself once per process, and because only at the start of a process can glibc be kept
//! from registering restartable sequences (rseq), by which the engine cheaply notices that a thread
//! has left its processor.

mod separate_process;
#[path = "../../../tests/skip.rs"]
mod skip;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use separate_process::expect_most_to_succeed;
use workspan_format::raw;
use workspan_rt::clock::Clock;
use workspan_rt::events::Task;
use workspan_rt::session::{self, Config};
use workspan_testkit::processor_time;

/// The variable that makes the process a program, and says which: a strand's length in microseconds
/// and the grain in nanoseconds, or `serial`.
const PROGRAM: &str = "WORKSPAN_PREEMPTED";
/// Approximate processor time of a program.
const LENGTH: Duration = Duration::from_millis(120);
/// Lengths of strands in microseconds: longer than the time for which the kernel lets a thread run
/// if there is another one; a few in that time; very many.
const STRANDS: [u64; 3] = [6_000, 400, 20];
/// As in `workspan-rt`.
const DEFAULT_GRAIN: i64 = 8_000;
const EXACT: i64 = 0;
/// Elapsed time over processor time: below this, the program had the processor nearly to itself.
const PREEMPTED: f64 = 1.5;
/// How far work may be from processor time: by a share of it, and by a share of the time for which
/// others had the processor, for the time between switches and the kernel's accounts of them.
const NEAR: f64 = 0.05;
const NEAR_OF_OTHERS: f64 = 0.01;

#[test]
#[ignore = "judges time: ci/full timed"]
fn work_follows_the_processor_time_and_not_the_time_that_passed() {
    if let Ok(program) = std::env::var(PROGRAM) {
        return be_program(&program);
    }
    let test = "work_follows_the_processor_time_and_not_the_time_that_passed";
    let ways = [
        ("rseq", "", DEFAULT_GRAIN),
        ("rseq", "", EXACT),
        ("portable", "glibc.pthread.rseq=0", DEFAULT_GRAIN),
    ];
    for (way, tunables, grain) in ways {
        for strand in STRANDS {
            let about = format!("strands of {strand} µs, {way} way, grain {grain} ns");
            let program = format!("{strand} {grain}");
            let variables = [(PROGRAM, &*program), ("GLIBC_TUNABLES", tunables)];
            expect_most_to_succeed(&about, test, &variables);
        }
    }
}

/// The serial code before the first construct of a runtime that reports events is a strand like any
/// other.
#[test]
#[ignore = "judges time: ci/full timed"]
fn the_strand_before_the_first_construct_is_checked_too() {
    if std::env::var(PROGRAM).is_ok() {
        return be_serial();
    }
    let test = "the_strand_before_the_first_construct_is_checked_too";
    for tunables in ["", "glibc.pthread.rseq=0"] {
        let variables = [(PROGRAM, "serial"), ("GLIBC_TUNABLES", tunables)];
        expect_most_to_succeed(tunables, test, &variables);
    }
}

fn be_program(program: &str) {
    let (strand, grain) = program.split_once(' ').expect("two numbers");
    let strand: u64 = strand.parse().expect("a number");
    let grain: i64 = grain.parse().expect("a number");
    let strand = Duration::from_micros(strand);
    let leaves = LENGTH.as_micros().div_ceil(strand.as_micros());
    let rounds = rounds_of(strand);
    let measured = Measured::new(grain, || {
        let pool = workspan_rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .expect("a pool of one");
        pool.install(|| seconds_of(|| strands(leaves as usize, rounds)))
    });
    let Some(Measured {
        passed,
        ran,
        work,
        off,
    }) = measured
    else {
        return;
    };
    let of_others = NEAR_OF_OTHERS * (passed - ran);
    assert!(
        work > (1.0 - NEAR) * ran - of_others && work < (1.0 + NEAR) * ran + of_others,
        "work is {:.3} times the processor time",
        work / ran
    );
    // Time lost between strands, for example while the engine reads the processor time, need not be
    // reported.
    let least = if strand > Duration::from_millis(1) {
        0.25
    } else {
        0.0
    };
    assert!(
        off > least * (passed - ran),
        "of {:.1} ms, {:.1} ms are reported off the processor",
        1e3 * (passed - ran),
        1e3 * off
    );
}

/// A program whose only construct is at its end.
fn be_serial() {
    let rounds = rounds_of(LENGTH);
    let measured = Measured::new(Config::default().grain, || {
        let seconds = seconds_of(|| compute(rounds));
        drop(Task::running().expect("a session is under way"));
        seconds
    });
    if let Some(Measured { work, ran, .. }) = measured {
        assert!(
            (1.0 - NEAR..1.0 + NEAR).contains(&(work / ran)),
            "work is {:.3} times the processor time",
            work / ran
        );
    }
}

/// What a program took on a processor that it shared, in seconds.
struct Measured {
    passed: f64,
    /// Its processor time.
    ran: f64,
    /// Its work, and the time off the processor, as profiled.
    work: f64,
    off: f64,
}

impl Measured {
    /// Profiles `program`, which returns its time and its processor time. `None` if it did not have
    /// to share a processor.
    fn new(grain: i64, program: impl FnOnce() -> (f64, f64)) -> Option<Self> {
        if let Err(why) = share_one_processor() {
            skip::skip("affinity", &format!("cannot stay on one processor: {why}"));
            return None;
        }
        let rival = Rival::start();
        session::start(Config {
            clock: Clock::Monotonic,
            grain,
            ..Config::default()
        });
        let (passed, ran) = program();
        let text = session::finish().expect("a session was started");
        rival.stop();
        let profile = raw::parse(&text).expect("what the engine writes can be read");
        let seconds = |ticks: i64| ticks as f64 / profile.ticks_per_second;
        let work = seconds(profile.nodes.iter().map(|node| node.work.local_ticks).sum());
        let off = seconds(profile.off_processor_ticks);
        eprintln!(
            "{:.1} ms passed, {:.1} ms on the processor; work {:.1} ms, off the processor \
             {:.1} ms, open {:.1} ms",
            1e3 * passed,
            1e3 * ran,
            1e3 * work,
            1e3 * off,
            1e3 * seconds(profile.span_open_ticks),
        );
        if passed < PREEMPTED * ran {
            skip::skip("preemption", "the program could not be preempted enough");
            return None;
        }
        Some(Self {
            passed,
            ran,
            work,
            off,
        })
    }
}

/// Seconds that passed during `run`, and seconds of processor time.
fn seconds_of(run: impl FnOnce()) -> (f64, f64) {
    let start = (Instant::now(), processor_time());
    run();
    let ran = processor_time() - start.1;
    (start.0.elapsed().as_secs_f64(), ran.as_secs_f64())
}

/// A thread that never rests.
struct Rival(std::thread::JoinHandle<()>);

static DONE: AtomicBool = AtomicBool::new(false);

impl Rival {
    /// Must start before the session, in which it would be a task of the program.
    fn start() -> Self {
        Self(std::thread::spawn(|| {
            while !DONE.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        }))
    }

    fn stop(self) {
        DONE.store(true, Ordering::Relaxed);
        self.0.join().expect("it only spins");
    }
}

/// Keeps this thread, and all threads that it starts later, on one processor.
fn share_one_processor() -> rustix::io::Result<()> {
    let allowed = sched_getaffinity(None)?;
    let mut one = CpuSet::new();
    let last = (0..CpuSet::MAX_CPU).rfind(|&cpu| allowed.is_set(cpu));
    one.set(last.expect("this thread runs somewhere"));
    sched_setaffinity(None, &one)
}

/// A tree of joins with `leaves` strands.
fn strands(leaves: usize, rounds: u64) {
    if leaves == 1 {
        return compute(rounds);
    }
    let left = leaves / 2;
    workspan_rayon::join(|| strands(left, rounds), || strands(leaves - left, rounds));
}

/// Computes without calling the kernel, which would take the processor away at such calls.
fn compute(rounds: u64) {
    let mut number = 1_u64;
    for round in 0..rounds {
        number = std::hint::black_box(number.wrapping_mul(round | 1));
    }
}

/// The approximate number of rounds of [`compute`] in `length` of processor time.
fn rounds_of(length: Duration) -> u64 {
    const ROUNDS: u64 = 1 << 20;
    let start = processor_time();
    compute(ROUNDS);
    let taken = processor_time() - start;
    (length.as_secs_f64() / taken.as_secs_f64() * ROUNDS as f64) as u64
}
