//! The clock that counts an event, with a counter for each thread.
//!
//! A thread's counter is opened when its clock is first read after [`choose`], and closed when the
//! thread ends. From then on its clock stands still, as it does in a child of fork(2), which has
//! neither the counter nor the page that it is read by.

use crate::clock::counters::{Counter, Event, Linux, Problem};
use crate::clock::metric::Metric;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// How often the event was chosen: a thread whose counter has another number opens a new one.
static GENERATION: AtomicU32 = AtomicU32::new(0);
/// The event that is counted.
static EVENT: Mutex<Option<Event>> = Mutex::new(None);
/// Why the first thread that failed to count it did.
static PROBLEM: Mutex<Option<Problem>> = Mutex::new(None);
/// Has any counter had to take turns with others?
static SHARED: AtomicBool = AtomicBool::new(false);
/// How many threads' counters have not run so far, so that they count nothing.
static STARVED: AtomicI32 = AtomicI32::new(0);

thread_local! {
    /// The generation of the thread's counter, or the one in which its clock stopped.
    static OWN_GENERATION: Cell<u32> = const { Cell::new(0) };
    /// The thread's counter, boxed; null if it has none now.
    static COUNTER: Cell<*const Counter<Linux>> = const { Cell::new(ptr::null()) };
    /// What the clock shows while it stands still.
    static STOPPED: Cell<Option<i64>> = const { Cell::new(None) };
    /// Is the thread one of [`STARVED`]?
    static IS_STARVED: Cell<bool> = const { Cell::new(false) };
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Forgets what was counted, and how that went.
pub(crate) fn forget() {
    *lock(&EVENT) = None;
    *lock(&PROBLEM) = None;
    SHARED.store(false, Ordering::Relaxed);
    STARVED.store(0, Ordering::Relaxed);
}

/// Chooses what is counted from now on.
pub(crate) fn choose(metric: &Metric) {
    forget();
    match Event::named(&metric.name) {
        Ok(event) => *lock(&EVENT) = Some(event),
        Err(problem) => *lock(&PROBLEM) = Some(problem),
    }
    // After the event: whoever sees the number opens no counter of an earlier event.
    GENERATION.fetch_add(1, Ordering::Release);
}

/// How often the event has happened in the calling thread since its counter was opened.
pub(crate) fn count() -> i64 {
    let generation = GENERATION.load(Ordering::Acquire);
    if generation != OWN_GENERATION.get() {
        renew(generation);
    }
    let counter = COUNTER.get();
    if counter.is_null() {
        return open();
    }
    // SAFETY: it is not null, so `open` boxed it on this thread; who frees it, on the same thread,
    // sets the pointer to null first.
    let counter = unsafe { &*counter };
    let count = counter.count();
    if counter.is_shared() {
        note_shared(counter);
    }
    if counter.is_lost() {
        note_lost();
    }
    count as i64
}

/// Notes that the program has closed the descriptor of the thread's counter, which stands still
/// from now on.
#[cold]
fn note_lost() {
    close();
    let name = lock(&EVENT).as_ref().map(|event| event.name().to_owned());
    if let Some(name) = name {
        lock(&PROBLEM).get_or_insert(Problem::Closed { name });
    }
}

/// Notes that the thread's counter takes turns with others, and whether it runs at all.
#[cold]
fn note_shared(counter: &Counter<Linux>) {
    SHARED.store(true, Ordering::Relaxed);
    let is_starved = counter.is_starved();
    if IS_STARVED.replace(is_starved) != is_starved {
        STARVED.fetch_add(if is_starved { 1 } else { -1 }, Ordering::Relaxed);
    }
}

/// Closes the thread's counter of an earlier choice, and restarts its clock if it stood still.
#[cold]
fn renew(generation: u32) {
    close();
    STOPPED.set(None);
    IS_STARVED.set(false);
    OWN_GENERATION.set(generation);
}

#[cold]
fn open() -> i64 {
    if let Some(stopped) = STOPPED.get() {
        return stopped;
    }
    let opened = match &*lock(&EVENT) {
        Some(event) => Counter::open(event, Linux),
        None => return 0,
    };
    match opened {
        Ok(counter) => {
            let count = counter.count();
            COUNTER.set(Box::into_raw(Box::new(counter)));
            count as i64
        }
        Err(problem) => {
            lock(&PROBLEM).get_or_insert(problem);
            STOPPED.set(Some(0));
            0
        }
    }
}

/// Stops the calling thread's clock at its last reading, as in a child of fork(2).
pub(crate) fn stop() {
    let counter = COUNTER.replace(ptr::null());
    if !counter.is_null() {
        // SAFETY: it is not null, so `open` boxed it on this thread, and only `close` frees it,
        // after this. A child of fork(2) has the number that is read, too.
        let last = unsafe { &*counter }.last();
        STOPPED.set(Some(last as i64));
    }
}

/// Closes the calling thread's counter, because the thread ends.
pub(crate) fn close() {
    let counter = COUNTER.get();
    stop();
    if !counter.is_null() {
        // SAFETY: `open` boxed it, and `stop` has just set the pointer to null, so nobody else has
        // it.
        drop(unsafe { Box::from_raw(counter.cast_mut()) });
    }
}

/// Why a thread could not count, if any could not. Does not block: in a copy of the process,
/// whoever held the lock does not exist.
pub(crate) fn problem() -> Option<String> {
    let problem = match PROBLEM.try_lock() {
        Ok(problem) => problem.as_ref().map(ToString::to_string),
        Err(TryLockError::Poisoned(problem)) => {
            problem.into_inner().as_ref().map(ToString::to_string)
        }
        Err(TryLockError::WouldBlock) => Some("a counter could not be opened".into()),
    };
    problem.or_else(no_room)
}

/// The problem of a thread whose counter never ran, if there is one.
fn no_room() -> Option<String> {
    if STARVED.load(Ordering::Relaxed) <= 0 {
        return None;
    }
    let name = EVENT.try_lock().ok()?.as_ref()?.name().to_owned();
    Some(Problem::NoRoom { name }.to_string())
}

/// What limits the accuracy of the counts, if anything does.
pub(crate) fn limit() -> Option<&'static str> {
    let is_shared = SHARED.load(Ordering::Relaxed);
    is_shared.then_some(
        "the processor had no room for all counters at once, so that the event was counted part of the time, and what \
         happened in the rest is estimated from that: counts may be too high, since an estimate that falls is not taken back",
    )
}
