//! What the process as a whole had of the machine's processors.

use crate::clock::{self, Clock};
use crate::system::presence::queued_in;
use std::ffi::c_int;
use std::fs;
use std::sync::atomic::{AtomicI64, Ordering};

/// Processor time of the process up to one moment, in nanoseconds.
#[derive(Clone, Copy)]
pub(crate) struct Processors {
    /// For how long its threads ran, in the program and in the kernel.
    pub(crate) used: i64,
    /// For how long the threads that it has now were ready and did not run. `None` where the kernel
    /// keeps no account.
    pub(crate) queued: Option<i64>,
    /// The part of `used` in the kernel, as its account of ticks divides it.
    pub(crate) in_kernel: i64,
    /// How often the program touched memory that had no page yet.
    pub(crate) page_faults: i64,
    /// How many processors at least one of its threads may run on. `None` where the kernel does not
    /// say.
    pub(crate) allowed: Option<i64>,
    /// Their number when the session began; 0 if not known.
    pub(crate) allowed_at_start: i64,
    /// For how long child processes ran that have ended and were waited for.
    pub(crate) children: i64,
}

/// For how many nanoseconds the threads of the process ran.
pub(crate) fn used_nanos() -> i64 {
    const PROCESS_CPUTIME: c_int = 2;
    clock::time_of(PROCESS_CPUTIME)
}

/// Whether the session's clock is the machine's time.
fn is_comparable() -> bool {
    matches!(clock::chosen(), Clock::Tsc | Clock::Monotonic)
}

impl Processors {
    /// Up to this moment; `None` if the session's clock is not the machine's time, with which this
    /// could be compared.
    pub(crate) fn now() -> Option<Self> {
        is_comparable().then(|| {
            let [own, children] = [PROCESS, CHILDREN].map(Usage::of);
            Self {
                used: used_nanos(),
                queued: queued(),
                in_kernel: own.in_kernel,
                page_faults: own.page_faults,
                allowed: allowed(),
                allowed_at_start: ALLOWED_AT_START.load(Ordering::Relaxed),
                children: children.in_program + children.in_kernel,
            }
        })
    }
}

extern "C" {
    fn getrusage(who: c_int, usage: *mut [i64; 18]) -> c_int;
}

const PROCESS: c_int = 0;
const CHILDREN: c_int = -1;

/// What the kernel counted: times in nanoseconds, and page faults that read no disk.
struct Usage {
    in_program: i64,
    in_kernel: i64,
    page_faults: i64,
}

impl Usage {
    fn of(who: c_int) -> Self {
        // Two `timeval`s, of the program and of the kernel for it, and fourteen longs.
        let mut usage = [0; 18];
        // SAFETY: the call only writes `usage`, which is as large as `rusage`, eighteen longs on
        // 64-bit Linux.
        unsafe { getrusage(who, &mut usage) };
        let nanos = |at: usize| usage[at] * 1_000_000_000 + usage[at + 1] * 1_000;
        Self {
            in_program: nanos(0),
            in_kernel: nanos(2),
            page_faults: usage[8],
        }
    }
}

/// How many the process might run on when the session began; 0 if not known.
static ALLOWED_AT_START: AtomicI64 = AtomicI64::new(0);

/// Keeps how many processors the process may run on. To be called when a session begins and has its
/// clock.
pub(crate) fn note_start() {
    let allowed = is_comparable().then(allowed).flatten();
    // Relaxed: read when the profile is written, which comes after.
    ALLOWED_AT_START.store(allowed.unwrap_or(0), Ordering::Relaxed);
}

/// The name of the engine's own thread (`session/signals.rs`).
const OWN_THREAD: &[u8] = b"workspan";

/// A bit for each processor.
pub(crate) type Mask = [u64; 64];

extern "C" {
    fn sched_getaffinity(thread: c_int, length: usize, mask: *mut Mask) -> c_int;
}

/// How many processors any thread of the process may run on, but for the engine's own.
fn allowed() -> Option<i64> {
    let threads = fs::read_dir("/proc/self/task").ok()?;
    let mut all: Mask = [0; 64];
    for thread in threads {
        let thread = thread.ok()?;
        // It was started before the program could hold its threads to some processors.
        if fs::read(thread.path().join("comm")).is_ok_and(|name| name.trim_ascii() == OWN_THREAD) {
            continue;
        }
        let number = thread.file_name().to_str()?.parse().ok()?;
        // A thread that has ended has none.
        for (all, of_thread) in all.iter_mut().zip(mask_of(number).into_iter().flatten()) {
            *all |= of_thread;
        }
    }
    let count = processors_in(&all);
    (count > 0).then_some(i64::from(count))
}

/// The processors that the thread of this number may run on; `None` if there is no such thread.
pub(crate) fn mask_of(thread: c_int) -> Option<Mask> {
    // SAFETY: the call writes no more of the mask than the length it is given.
    mask_from(|mask| unsafe { sched_getaffinity(thread, size_of::<Mask>(), mask) })
}

/// The mask that `get` writes, if it returns 0.
pub(crate) fn mask_from(get: impl FnOnce(&mut Mask) -> c_int) -> Option<Mask> {
    let mut mask = [0; 64];
    (get(&mut mask) == 0).then_some(mask)
}

pub(crate) fn processors_in(mask: &Mask) -> u32 {
    mask.iter().map(|word| word.count_ones()).sum()
}

/// The sum over the threads of the process. One that ends meanwhile is left out.
fn queued() -> Option<i64> {
    let threads = fs::read_dir("/proc/self/task").ok()?;
    let of_threads = threads.filter_map(|thread| queued_in(&thread.ok()?.path().join("schedstat")));
    of_threads.fold(None, |sum, queued| Some(sum.unwrap_or(0) + queued))
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn the_process_may_run_on_what_it_could_from_the_start() {
        let known = std::thread::available_parallelism().expect("known").get() as i64;
        // A quota of a control group leaves fewer.
        assert!(allowed().expect("the kernel says it") >= known);
    }

    #[test]
    fn what_a_thread_runs_is_used_by_the_process() {
        clock::choose(Clock::Monotonic);
        let used = || Processors::now().expect("a clock of time").used;
        let before = (used(), clock::processor_time());
        while clock::processor_time() - before.1 < 5_000_000 {
            std::hint::black_box(before);
        }
        assert!(used() - before.0 >= 5_000_000);
    }
}
