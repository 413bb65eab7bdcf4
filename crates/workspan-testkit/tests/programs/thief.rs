//! A schedule for two threads that is the same each time: one of them only steals when the program
//! says so, the oldest task that waits, while the other stands still.

use std::cell::Cell;
use std::sync::{Condvar, Mutex, PoisonError};

use workspan_rayon::ThreadPool;

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// No thread is held.
    None,
    /// A thread waits until it is told to steal.
    Held,
    /// It steals, and then waits again.
    Stealing,
    /// It is to go.
    Freed,
}

static STATE: Mutex<State> = Mutex::new(State::None);
static CHANGED: Condvar = Condvar::new();

thread_local! {
    /// On the held thread, how many bodies of tasks are open on it.
    static OPEN: Cell<Option<usize>> = const { Cell::new(None) };
}

/// A thread that is held as long as this lives.
pub struct Held(());

/// Holds one of the pool's two threads.
pub fn hold(pool: &ThreadPool) -> Held {
    pool.spawn(wait);
    wait_while(|state| state != State::Held);
    Held(())
}

impl Drop for Held {
    fn drop(&mut self) {
        set(State::Freed);
        wait_while(|state| state != State::None);
    }
}

/// Has the held thread run the oldest task that waits. There must be one.
pub fn steal() {
    set(State::Stealing);
    wait_while(|state| state != State::Held);
}

fn set(state: State) {
    *STATE.lock().unwrap_or_else(PoisonError::into_inner) = state;
    CHANGED.notify_all();
}

fn wait_while(waits: impl Fn(State) -> bool) -> State {
    let state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let state = CHANGED.wait_while(state, |state| waits(*state));
    *state.unwrap_or_else(PoisonError::into_inner)
}

fn wait() {
    OPEN.set(Some(0));
    set(State::Held);
    if wait_while(|state| state == State::Held) == State::Freed {
        OPEN.set(None);
        set(State::None);
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
