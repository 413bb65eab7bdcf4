//! Pools of threads: the sizes to report or to choose for them, and how many threads they have.

use crate::state::mode::{self, Mode};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static ASSUMED_CORES: AtomicUsize = AtomicUsize::new(0);

static THREADS: AtomicUsize = AtomicUsize::new(0);

static POOL_THREADS: AtomicUsize = AtomicUsize::new(0);

/// Threads of the largest pool: that many tasks that wait for one another are enough to hang it,
/// however many other pools there are.
static LARGEST_POOL: AtomicUsize = AtomicUsize::new(0);

/// Threads of the largest pool whose size the program chose, and that was asked for it, as iterators
/// ask that are cut for it; 0 if none was.
static ASKED_CHOSEN: AtomicUsize = AtomicUsize::new(0);

/// Whether a pool of default size was asked for its threads.
static ASKED_DEFAULT: AtomicBool = AtomicBool::new(false);

/// Pools that were built, and calls that a thread of a pool ran while the caller, outside of it,
/// waited; of these, callers of other pools.
static BUILT: AtomicUsize = AtomicUsize::new(0);
static INSTALLED: AtomicUsize = AtomicUsize::new(0);
static BETWEEN: AtomicUsize = AtomicUsize::new(0);

/// Threads of the pools that exist now.
static LIVE_THREADS: AtomicUsize = AtomicUsize::new(0);

/// The number of cores to report to the program in pools of default size; `None`: the real one.
pub fn assumed_cores() -> Option<usize> {
    Some(ASSUMED_CORES.load(Ordering::Relaxed)).filter(|n| *n > 0 && chooses_sizes())
}

/// The number of threads that pools of default size are to have; `None`: the runtime's default.
pub fn default_threads() -> Option<usize> {
    Some(THREADS.load(Ordering::Relaxed)).filter(|n| *n > 0 && chooses_sizes())
}

/// Notes that a pool was asked for its threads: one of `chosen` threads, or one of default size.
#[inline]
pub fn note_asked(chosen: Option<usize>) {
    // Statistics, which order nothing.
    match chosen {
        Some(threads) if ASKED_CHOSEN.load(Ordering::Relaxed) < threads => {
            ASKED_CHOSEN.fetch_max(threads, Ordering::Relaxed);
        }
        None if !ASKED_DEFAULT.load(Ordering::Relaxed) => {
            ASKED_DEFAULT.store(true, Ordering::Relaxed);
        }
        _ => {}
    }
}

/// Notes a call that a pool's thread runs while its caller, maybe one of another pool, waits.
pub(crate) fn note_installed(between_pools: bool) {
    INSTALLED.fetch_add(1, Ordering::Relaxed);
    BETWEEN.fetch_add(between_pools.into(), Ordering::Relaxed);
}

/// How the program uses pools, by the names of the counts in the profile.
pub(crate) fn uses() -> [(&'static str, usize); 5] {
    let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
    [
        ("asked_chosen_pool", count(&ASKED_CHOSEN)),
        (
            "asked_default_pool",
            ASKED_DEFAULT.load(Ordering::Relaxed).into(),
        ),
        ("pools", count(&BUILT)),
        ("installed", count(&INSTALLED)),
        ("installed_between_pools", count(&BETWEEN)),
    ]
}

fn chooses_sizes() -> bool {
    matches!(mode::mode(), Mode::Profile | Mode::Idle)
}

/// Chooses what [`assumed_cores`] and [`default_threads`] return without a session; 0: nothing.
pub(crate) fn choose_sizes(assumed_cores: usize, threads: usize) {
    ASSUMED_CORES.store(assumed_cores, Ordering::Relaxed);
    THREADS.store(threads, Ordering::Relaxed);
}

/// Tells the engine of a pool of `threads` threads. If it is of default size, no fewer cores can be
/// assumed, since the program may index by thread.
pub fn note_pool(threads: usize, is_default: bool) {
    POOL_THREADS.fetch_max(threads, Ordering::Relaxed);
    LARGEST_POOL.fetch_max(threads, Ordering::Relaxed);
    if is_default && ASSUMED_CORES.load(Ordering::Relaxed) > 0 {
        ASSUMED_CORES.fetch_max(threads, Ordering::Relaxed);
    }
}

/// As [`note_pool`], for a pool that exists beside others until [`end_pool`]: what counts is how
/// many threads there are at once.
pub fn begin_pool(threads: usize, is_default: bool) {
    BUILT.fetch_add(1, Ordering::Relaxed);
    let live = LIVE_THREADS.fetch_add(threads, Ordering::Relaxed) + threads;
    POOL_THREADS.fetch_max(live, Ordering::Relaxed);
    note_pool(threads, is_default);
}

/// A pool of `threads` threads is dropped.
pub fn end_pool(threads: usize) {
    LIVE_THREADS.fetch_sub(threads, Ordering::Relaxed);
}

pub(crate) fn largest_pool() -> usize {
    LARGEST_POOL.load(Ordering::Relaxed)
}

/// A session begins that knows of no pool.
pub(crate) fn forget() {
    POOL_THREADS.store(0, Ordering::Relaxed);
    LARGEST_POOL.store(0, Ordering::Relaxed);
    for count in [&ASKED_CHOSEN, &BUILT, &INSTALLED, &BETWEEN] {
        count.store(0, Ordering::Relaxed);
    }
    ASKED_DEFAULT.store(false, Ordering::Relaxed);
}

/// The most threads that pools have had.
pub(crate) fn pool_threads() -> usize {
    POOL_THREADS.load(Ordering::Relaxed)
}

/// The number of cores that is assumed, 0 if none is.
pub(crate) fn assumed() -> usize {
    ASSUMED_CORES.load(Ordering::Relaxed)
}
