//! Sampling by the kernel's timers: shares of known functions, other users of the signal, calls
//! that it must not interrupt.
//!
//! Each program runs in a process of its own, because a signal has one handler in a process, and a
//! session's threads are sampled from their start.
#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(workspan_sanitizer)
))]

mod separate_process;

use std::arch::asm;
use std::ffi::c_int;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use separate_process::{expect_most_to_succeed, expect_success};
use workspan_format::raw::{self, RawProfile};
use workspan_rt::clock::Clock;
use workspan_rt::session::{self, Config};
use workspan_testkit::processor_time;

/// The variable that says which of the programs the process shall be.
const PROGRAM: &str = "WORKSPAN_SAMPLED";
const TIMED: [(&str, fn()); 4] = [
    ("shares", shares),
    ("shares of tiny tasks", shares_of_tiny_tasks),
    ("taken over", taken_over),
    ("set to its default", set_to_its_default),
];
const EXACT: [(&str, fn()); 4] = [
    ("handled by another", handled_by_another),
    ("timed by another", timed_by_another),
    ("blocking calls", blocking_calls),
    ("no timers", no_timers),
];
/// How far a share may be off.
const NEAR: f64 = 0.05;

/// Runs a program of these if this is a process of one. Returns whether it is.
fn is_program(programs: &[(&str, fn())]) -> bool {
    let Ok(program) = std::env::var(PROGRAM) else {
        return false;
    };
    let program = programs.iter().find(|(name, _)| *name == program);
    program.expect("it was started with one of these").1();
    true
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn functions_have_their_shares_until_others_take_the_signal() {
    if is_program(&TIMED) {
        return;
    }
    let test = "functions_have_their_shares_until_others_take_the_signal";
    for (program, _) in TIMED {
        expect_most_to_succeed(program, test, &[(PROGRAM, program)]);
    }
}

#[test]
fn others_that_have_the_signal_and_blocking_calls_are_left_alone() {
    if is_program(&EXACT) {
        return;
    }
    let test = "others_that_have_the_signal_and_blocking_calls_are_left_alone";
    for (program, _) in EXACT {
        expect_success(program, test, &[(PROGRAM, program)]);
    }
}

/// A loop that stays within its function, whatever the compiler does. The name in it keeps
/// functions from being merged.
macro_rules! function {
    ($name:ident) => {
        #[inline(never)]
        fn $name(rounds: u64) {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: counts a register down.
            unsafe {
                asm!(concat!("# ", stringify!($name)), "2: dec {0}", "jnz 2b", inout(reg) rounds => _, options(nomem, nostack));
            }
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            unsafe {
                asm!(concat!("// ", stringify!($name)), "2: subs {0}, {0}, #1", "b.ne 2b", inout(reg) rounds => _, options(nomem, nostack));
            }
        }
    };
}

function!(seventy);
function!(thirty);
function!(beside);

/// Whether the address is at or shortly after the beginning of the loop's function.
fn is_in(function: fn(u64), address: u64) -> bool {
    const LONGEST: u64 = 64;
    let start = function as usize as u64;
    (start..start + LONGEST).contains(&address)
}

/// Samples of each function, on the work and on the span.
struct Seen {
    seventy: (f64, f64),
    thirty: (f64, f64),
    beside: (f64, f64),
    other: (f64, f64),
    samples: i64,
}

impl Seen {
    fn new(profile: &RawProfile) -> Self {
        let mut sums = [(0.0, 0.0); 4];
        let functions: [fn(u64); 3] = [seventy, thirty, beside];
        for stack in &profile.stacks {
            let function = functions
                .iter()
                .position(|function| is_in(*function, stack.copy.instruction));
            let sum = &mut sums[function.unwrap_or(3)];
            sum.0 += stack.on_work;
            sum.1 += stack.on_span;
        }
        let [seventy, thirty, beside, other] = sums;
        let samples = count(profile, "samples_taken");
        eprintln!(
            "{samples} samples; on the work and on the span: seventy {seventy:?}, thirty {thirty:?}, \
             beside {beside:?}, other {other:?}"
        );
        Self {
            seventy,
            thirty,
            beside,
            other,
            samples,
        }
    }

    /// Share of the first function among the first two, on the work and on the span.
    fn shares(&self) -> [f64; 2] {
        let Self {
            seventy, thirty, ..
        } = self;
        [
            seventy.0 / (seventy.0 + thirty.0),
            seventy.1 / (seventy.1 + thirty.1),
        ]
    }
}

fn count(profile: &RawProfile, name: &str) -> i64 {
    let mut counts = profile.engine.iter();
    counts
        .find(|count| count.name == name)
        .map_or(0, |count| count.value)
}

fn start() {
    session::start(Config {
        clock: Clock::Monotonic,
        grain: 8_000,
        sample_rate: 1_000,
        ..Config::default()
    });
}

fn finish() -> RawProfile {
    let text = session::finish().expect("a session was started");
    raw::parse(&text).expect("what the engine writes can be read")
}

/// Number of rounds of the loops that take a millisecond.
fn rounds_per_millisecond() -> u64 {
    const ROUNDS: u64 = 20_000_000;
    let start = processor_time();
    thirty(ROUNDS);
    (ROUNDS as f64 * 1e-3 / (processor_time() - start).as_secs_f64()) as u64
}

fn pool() -> workspan_rayon::ThreadPool {
    workspan_rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .expect("a pool of two")
}

/// Two functions in series with known shares, and a third in parallel to them.
fn shares() {
    let rounds = rounds_per_millisecond();
    start();
    pool().install(|| {
        for _ in 0..30 {
            workspan_rayon::join(
                || {
                    seventy(35 * rounds);
                    thirty(15 * rounds);
                },
                || beside(25 * rounds),
            );
        }
    });
    let profile = finish();
    assert_eq!(profile.sampling, Some(1_000));
    assert_eq!(profile.sampling_note, None);
    let seen = Seen::new(&profile);
    // They take 1.5 seconds; a kernel whose clock ticks 100 times a second takes 150 samples.
    assert!(seen.samples > 100, "{}", seen.samples);
    for share in seen.shares() {
        assert!((share - 0.7).abs() < NEAR, "{share}");
    }
    // The branch that lost only counts for the work.
    assert!(seen.beside.0 > 0.3 * (seen.seventy.0 + seen.thirty.0));
    assert_eq!(seen.beside.1, 0.0);
    assert_eq!(seen.seventy, (seen.seventy.0, seen.seventy.0));
    assert!(seen.other.0 < 0.05 * seen.seventy.0);
    // A sample stands for a millisecond of processor time.
    let work: i64 = profile.nodes.iter().map(|node| node.work.local_ticks).sum();
    let weight = seen.seventy.0 + seen.thirty.0 + seen.beside.0 + seen.other.0;
    let share = weight * 1e-3 * profile.ticks_per_second / work as f64;
    assert!((0.9..1.1).contains(&share), "{share}");
}

/// The same in strands so short that they are timed in stretches.
fn shares_of_tiny_tasks() {
    let rounds = rounds_per_millisecond();
    start();
    workspan_rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool of one")
        .install(|| {
            // If branches were equally long, either would win by chance.
            let (long, short) = (|| comb(4, rounds / 1_000), || comb(1, rounds / 1_000));
            let begin = processor_time();
            while processor_time() - begin < Duration::from_millis(2_500) {
                (0..1_000).for_each(|_| _ = workspan_rayon::join(long, short));
            }
        });
    let profile = finish();
    let seen = Seen::new(&profile);
    let work: i64 = profile.nodes.iter().map(|node| node.work.local_ticks).sum();
    let shared = profile.shared_ticks as f64 / work as f64;
    assert!(shared > 0.25, "{shared} of the work in stretches");
    // The engine and the runtime take the rest, so there are fewer samples.
    for share in seen.shares() {
        assert!((share - 0.7).abs() < 2.0 * NEAR, "{share}");
    }
    let on_work = seen.seventy.0 + seen.thirty.0 + seen.beside.0 + seen.other.0;
    let on_span = seen.seventy.1 + seen.thirty.1 + seen.beside.1 + seen.other.1;
    let [span, open] =
        [profile.span_ticks, profile.span_open_ticks].map(|ticks| ticks as f64 / work as f64);
    let on_span = on_span / on_work;
    eprintln!(
        "{shared:.3} in stretches, {span:.3} ± {open:.3} on the span, of the samples {on_span:.3}"
    );
    assert!(on_span > 0.2 && (on_span - span).abs() < open + NEAR);
}

/// A thread for which the kernel has no timer is reported once, however often the engine's settings
/// change.
fn no_timers() {
    const RLIMIT_SIGPENDING: c_int = 11;
    // SAFETY: only reads the limits.
    assert_eq!(unsafe { setrlimit(RLIMIT_SIGPENDING, &[0, 0]) }, 0);
    start();
    let pool = pool();
    // The first use of rayon changes the settings.
    pool.install(|| workspan_rayon::join(|| seventy(1), || thirty(1)));
    pool.broadcast(|_| workspan_rayon::join(|| seventy(1), || thirty(1)));
    let profile = finish();
    let note = profile
        .sampling_note
        .as_deref()
        .expect("there are no timers");
    let threads: i64 = note
        .split(' ')
        .next()
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("{note}"));
    // The caller, the pool's two threads, and perhaps the engine's own.
    assert!((3..=4).contains(&threads), "{note}");
    assert_eq!(count(&profile, "samples_taken"), 0);
}

/// Joins nested in their left branches, with some work before each.
fn comb(length: u64, rounds: u64) {
    if length > 0 {
        seventy(rounds * 7 / 10);
        thirty(rounds * 3 / 10);
        workspan_rayon::join(|| comb(length - 1, rounds), || ());
    }
}

static CALLS: AtomicUsize = AtomicUsize::new(0);

extern "C" fn others_handler(_: c_int) {
    CALLS.fetch_add(1, Ordering::Relaxed);
}

const SIGPROF: c_int = 27;

unsafe extern "C" {
    fn signal(number: c_int, handler: usize) -> usize;
    fn setitimer(which: c_int, new: *const [i64; 4], old: *mut [i64; 4]) -> c_int;
    fn setrlimit(resource: c_int, limits: *const [u64; 2]) -> c_int;
}

fn handle_sigprof() -> usize {
    // SAFETY: the handler is async-signal-safe.
    unsafe { signal(SIGPROF, others_handler as *const () as usize) }
}

fn work_for_a_while() {
    let rounds = rounds_per_millisecond();
    pool().install(|| workspan_rayon::join(|| seventy(150 * rounds), || thirty(150 * rounds)));
}

/// Another profiler was first.
fn handled_by_another() {
    handle_sigprof();
    start();
    work_for_a_while();
    let profile = finish();
    let note = profile.sampling_note.as_deref().expect("a note");
    assert!(note.contains("another profiler handles SIGPROF"), "{note}");
    assert_eq!(profile.sampling, None);
    assert!(profile.stacks.is_empty());
    // Nothing raised the signal, and the handler is still there.
    assert_eq!(CALLS.load(Ordering::Relaxed), 0);
    assert_eq!(handle_sigprof(), others_handler as *const () as usize);
}

/// As programs do that reset all signals to their defaults before they start anew: the default
/// action of this one would end them.
fn set_to_its_default() {
    start();
    work_for_a_while();
    // SAFETY: sets no handler.
    unsafe { signal(SIGPROF, 0) };
    work_for_a_while();
    let profile = finish();
    let note = profile.sampling_note.as_deref().expect("a note");
    assert!(note.contains("taken SIGPROF over"), "{note}");
    assert!(!profile.stacks.is_empty());
}

/// Another profiler's timer runs, though it has no handler yet.
fn timed_by_another() {
    const ITIMER_PROF: c_int = 2;
    // SAFETY: two `timeval`s of two longs each.
    let failed = unsafe { setitimer(ITIMER_PROF, &[100, 0, 100, 0], std::ptr::null_mut()) };
    assert_eq!(failed, 0);
    start();
    work_for_a_while();
    let profile = finish();
    let note = profile.sampling_note.as_deref().expect("a note");
    assert!(note.contains("ITIMER_PROF"), "{note}");
    assert!(profile.stacks.is_empty());
}

/// Another profiler comes later, while the program runs.
fn taken_over() {
    start();
    work_for_a_while();
    handle_sigprof();
    // The engine looks once a second.
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(2_500) {
        std::hint::spin_loop();
    }
    let calls = CALLS.load(Ordering::Relaxed);
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(300) {
        std::hint::spin_loop();
    }
    assert_eq!(
        CALLS.load(Ordering::Relaxed),
        calls,
        "timers of ours still call another's handler"
    );
    let profile = finish();
    let note = profile.sampling_note.as_deref().expect("a note");
    assert!(note.contains("taken SIGPROF over"), "{note}");
    assert!(Seen::new(&profile).seventy.0 > 0.0);
    assert_eq!(handle_sigprof(), others_handler as *const () as usize);
}

/// Repeated blocking calls, on threads that also use the processor: none may fail or return early.
fn blocking_calls() {
    start();
    let until = Instant::now() + Duration::from_millis(1_500);
    let (mut here, mut there) = UnixStream::pair().expect("a pair of sockets");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut byte = [0];
            // `read` itself, which does not try again if it is interrupted.
            while let Ok(1) = there.read(&mut byte) {
                there.write_all(&byte).expect("not interrupted");
            }
        });
        scope.spawn(move || {
            let mut byte = [7];
            while Instant::now() < until {
                here.write_all(&byte).expect("not interrupted");
                match here.read(&mut byte) {
                    Ok(1) => {}
                    other => panic!("{other:?}"),
                }
            }
        });
        scope.spawn(|| {
            let (mutex, never) = (Mutex::new(()), Condvar::new());
            while Instant::now() < until {
                seventy(200_000);
                let nap = Duration::from_micros(300);
                let begin = Instant::now();
                std::thread::sleep(nap);
                assert!(begin.elapsed() >= nap);
                let begin = Instant::now();
                let guard = mutex.lock().expect("nobody panics with it");
                let waited = never
                    .wait_timeout_while(guard, nap, |()| true)
                    .expect("nobody panics with it");
                assert!(waited.1.timed_out() && begin.elapsed() >= nap);
            }
        });
        scope.spawn(|| {
            while Instant::now() < until {
                let status = Command::new("true").status();
                let failed = status
                    .as_ref()
                    .is_err_and(|e| e.kind() == ErrorKind::NotFound);
                assert!(failed || status.expect("not interrupted").success());
            }
        });
    });
    // Threads that never called the runtime are sampled too, if the engine intercepts their start.
    Seen::new(&finish());
}
