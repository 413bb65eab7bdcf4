//! A schedule for two threads that is the same each time: one of them only steals when the program
//! says so, the oldest task that waits, while the other stands still.

use std::cell::Cell;
use std::sync::atomic::{AtomicU8, Ordering};

use workspan_rayon::ThreadPool;

/// No thread is held.
const NONE: u8 = 0;
/// A thread waits until it is told to steal.
const HELD: u8 = 1;
/// It steals, and then waits again.
const STEALING: u8 = 2;
/// It is to go.
const FREED: u8 = 3;

static STATE: AtomicU8 = AtomicU8::new(NONE);

thread_local! {
    /// On the held thread, how many bodies of tasks are open on it.
    static OPEN: Cell<Option<usize>> = const { Cell::new(None) };
}

/// A thread that is held as long as this lives.
pub struct Held(());

/// Holds one of the pool's two threads.
pub fn hold(pool: &ThreadPool) -> Held {
    pool.spawn(wait);
    await_state(HELD);
    Held(())
}

impl Drop for Held {
    fn drop(&mut self) {
        STATE.store(FREED, Ordering::Release);
        await_state(NONE);
    }
}

/// Has the held thread run the oldest task that waits. There must be one.
pub fn steal() {
    STATE.store(STEALING, Ordering::Release);
    await_state(HELD);
}

fn await_state(state: u8) {
    while STATE.load(Ordering::Acquire) != state {
        std::thread::yield_now();
    }
}

fn wait() {
    OPEN.set(Some(0));
    STATE.store(HELD, Ordering::Release);
    while STATE.load(Ordering::Acquire) == HELD {
        std::thread::yield_now();
    }
    if STATE.load(Ordering::Acquire) == FREED {
        OPEN.set(None);
        STATE.store(NONE, Ordering::Release);
    }
}

/// A body of a task begins on this thread.
pub fn begin_body() {
    OPEN.set(OPEN.get().map(|open| open + 1));
}

/// A body of a task ends on this thread. At the end of the stolen one the thread leaves itself a task
/// to wait in, which comes before all others. Not by the engine, which need not know.
pub fn end_body() {
    let Some(open) = OPEN.get() else { return };
    OPEN.set(Some(open - 1));
    if open == 1 {
        rayon::spawn(wait);
    }
}
