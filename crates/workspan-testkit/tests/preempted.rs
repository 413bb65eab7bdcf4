//! What another thread on the same processor takes is no work.
//!
//! Programs of known strands run beside a thread that never rests, on one processor: the kernel takes the processor
//! away from them every few milliseconds. Their work has to follow the processor time that they used, and not the time
//! that passed. Each runs in a process of its own, since the engine calibrates itself once a process, and since only
//! at the start of a process can glibc be kept from registering restartable sequences (rseq), by which the engine
//! tells cheaply that a thread has left its processor.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use workspan_format::raw;
use workspan_rt::clock::Clock;
use workspan_rt::events::Task;
use workspan_rt::session::{self, Config};
use workspan_testkit::processor_time;

/// Tells the process to be a program, and which: a strand's length in microseconds and the grain in nanoseconds.
const PROGRAM: &str = "WORKSPAN_PREEMPTED";
/// Processor time of a program, nearly.
const LENGTH: Duration = Duration::from_millis(120);
/// Longer than the kernel lets a thread run beside another one; a few in the time that it does; very many.
const STRANDS: [u64; 3] = [6_000, 400, 20];
/// As in `workspan-rt`.
const DEFAULT_GRAIN: i64 = 8_000;
const EXACT: i64 = 0;
/// Time passed over processor time: with less, the program had the processor nearly to itself.
const PREEMPTED: f64 = 1.5;
/// How far work may be from processor time: a share of this, and of the time that others had the processor, for what goes by
/// between the switches and the kernel's accounts of them.
const NEAR: f64 = 0.05;
const NEAR_OF_OTHERS: f64 = 0.01;
/// Shorter strands, in microseconds, may be taken for interruptions by a hypervisor that leave no trace, with default
/// timing and on a virtual machine, for a sixteenth of the time at most.
const MAY_BE_INTERRUPTION: u64 = 200;
const INTERRUPTED: f64 = 1.0 / 16.0;
/// Tries of each program. A machine that is busy beyond that may spoil one, but the engine would have to be wrong to
/// spoil all.
const TRIES: usize = 5;

#[test]
#[ignore = "judges time: ci/full timed"]
fn work_follows_the_processor_time_and_not_the_time_that_passed() {
    if let Ok(program) = std::env::var(PROGRAM) {
        return be_program(&program);
    }
    let ways = [
        ("rseq", "", DEFAULT_GRAIN),
        ("rseq", "", EXACT),
        ("portable", "glibc.pthread.rseq=0", DEFAULT_GRAIN),
    ];
    for (way, tunables, grain) in ways {
        for strand in STRANDS {
            let about = format!("strands of {strand} µs, {way} way, grain {grain} ns");
            let wrong = errors_of_tries(|| run_apart(strand, tunables, grain));
            assert!(wrong.len() < TRIES, "{about}: {wrong:#?}");
        }
    }
}

/// The serial code before the first construct of a runtime that tells by events is a strand as others are.
#[test]
#[ignore = "judges time: ci/full timed"]
fn the_strand_before_the_first_construct_is_looked_at_too() {
    if std::env::var(PROGRAM).is_ok() {
        return be_serial();
    }
    let test = "the_strand_before_the_first_construct_is_looked_at_too";
    for tunables in ["", "glibc.pthread.rseq=0"] {
        let wrong = errors_of_tries(|| start_apart(test, "serial", tunables));
        assert!(wrong.len() < TRIES, "{tunables}: {wrong:#?}");
    }
}

/// The errors of so many tries, up to the first that has none. A machine's slow moments last for seconds, so they are apart.
fn errors_of_tries(run: impl Fn() -> Result<(), String>) -> Vec<String> {
    let attempt = |attempt: usize| {
        std::thread::sleep(Duration::from_millis(500) * attempt as u32);
        run().err().inspect(|error| eprintln!("again: {error}"))
    };
    (0..TRIES).map_while(attempt).collect()
}

/// Runs a program in a process of its own.
fn run_apart(strand: u64, tunables: &str, grain: i64) -> Result<(), String> {
    let test = "work_follows_the_processor_time_and_not_the_time_that_passed";
    start_apart(test, &format!("{strand} {grain}"), tunables)
}

fn start_apart(test: &str, program: &str, tunables: &str) -> Result<(), String> {
    let output = Command::new(std::env::current_exe().expect("a test knows its file"))
        .args(["--exact", "--nocapture", "--test-threads=1"])
        .arg(test)
        .env(PROGRAM, program)
        .env("GLIBC_TUNABLES", tunables)
        .env("RUST_BACKTRACE", "0")
        .output()
        .expect("a test can start its own file");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    eprint!("{said}");
    output.status.success().then_some(()).ok_or(said)
}

fn be_program(program: &str) {
    let (strand, grain) = program.split_once(' ').expect("two numbers");
    let strand: u64 = strand.parse().expect("a number");
    let grain: i64 = grain.parse().expect("a number");
    let less = if grain != EXACT && strand < MAY_BE_INTERRUPTION {
        NEAR + INTERRUPTED
    } else {
        NEAR
    };
    let strand = Duration::from_micros(strand);
    if let Err(why) = share_one_processor() {
        eprintln!("skipped: cannot stay on one processor: {why}");
        return;
    }
    let rival = Rival::start();
    let leaves = LENGTH.as_micros().div_ceil(strand.as_micros());
    session::start(Config {
        clock: Clock::Monotonic,
        grain,
        ..Config::default()
    });
    let pool = workspan_rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool of one");
    let rounds = rounds_of(strand);
    let (passed, ran) = pool.install(|| {
        let start = (Instant::now(), processor_time());
        strands(leaves as usize, rounds);
        let ran = processor_time() - start.1;
        (start.0.elapsed().as_secs_f64(), ran.as_secs_f64())
    });
    let text = session::finish().expect("a session was started");
    rival.stop();

    let profile = raw::parse(&text).expect("what the engine writes can be read");
    let seconds = |ticks: i64| ticks as f64 / profile.ticks_per_second;
    let work = seconds(profile.nodes.iter().map(|node| node.work.local_ticks).sum());
    let off = seconds(profile.off_processor_ticks);
    eprintln!(
        "strands of {strand:?}, grain {grain} ns: {:.1} ms passed, {:.1} ms on the processor; work {:.1} ms, \
         off the processor {:.1} ms, open {:.1} ms",
        1e3 * passed,
        1e3 * ran,
        1e3 * work,
        1e3 * off,
        1e3 * seconds(profile.span_open_ticks),
    );
    if passed < PREEMPTED * ran {
        eprintln!("skipped: the program could not be preempted enough");
        return;
    }
    let of_others = NEAR_OF_OTHERS * (passed - ran);
    assert!(
        work > (1.0 - less) * ran - of_others && work < (1.0 + NEAR) * ran + of_others,
        "work is {:.3} times the processor time",
        work / ran
    );
    // What is lost between strands, as while the engine reads the processor time, need not be reported.
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

/// A program without constructs, but for one at its end.
fn be_serial() {
    if let Err(why) = share_one_processor() {
        eprintln!("skipped: cannot stay on one processor: {why}");
        return;
    }
    let rival = Rival::start();
    let rounds = rounds_of(LENGTH);
    session::start(Config {
        clock: Clock::Monotonic,
        ..Config::default()
    });
    let start = (Instant::now(), processor_time());
    compute(rounds);
    let ran = (processor_time() - start.1).as_secs_f64();
    let passed = start.0.elapsed().as_secs_f64();
    drop(Task::running().expect("a session is under way"));
    let text = session::finish().expect("a session was started");
    rival.stop();
    let profile = raw::parse(&text).expect("what the engine writes can be read");
    let ticks: i64 = profile.nodes.iter().map(|node| node.work.local_ticks).sum();
    let work = ticks as f64 / profile.ticks_per_second;
    eprintln!(
        "{:.1} ms passed, {:.1} ms on the processor; work {:.1} ms",
        1e3 * passed,
        1e3 * ran,
        1e3 * work
    );
    if passed < PREEMPTED * ran {
        eprintln!("skipped: the program could not be preempted enough");
        return;
    }
    assert!(
        (1.0 - NEAR..1.0 + NEAR).contains(&(work / ran)),
        "work is {:.3} times the processor time",
        work / ran
    );
}

/// A thread that never rests.
struct Rival(std::thread::JoinHandle<()>);

static DONE: AtomicBool = AtomicBool::new(false);

impl Rival {
    /// To be started before the session, in which it would be a task of the program.
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

/// Keeps this thread, and those that it will start, on one processor.
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

/// Computes without asking the kernel anything: a call of it would be where the kernel takes the processor away.
fn compute(rounds: u64) {
    let mut number = 1_u64;
    for round in 0..rounds {
        number = std::hint::black_box(number.wrapping_mul(round | 1));
    }
}

/// About how many rounds of [`compute`] take `length` of processor time.
fn rounds_of(length: Duration) -> u64 {
    const ROUNDS: u64 = 1 << 20;
    let start = processor_time();
    compute(ROUNDS);
    let taken = processor_time() - start;
    (length.as_secs_f64() / taken.as_secs_f64() * ROUNDS as f64) as u64
}
