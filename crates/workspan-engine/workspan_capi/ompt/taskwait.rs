//! `taskwait` with dependences: a task without code that its parent waits for.
//!
//! The runtime has one place for all of these on a thread, and asserts that it is empty when one begins. But they nest: a
//! thread that waits executes other tasks, which may do the same. So what is known of them is kept here.

use std::cell::RefCell;

use super::abi::Data;
use super::task::TaskState;

thread_local! {
    /// Those that the thread has begun and not ended, the innermost last, each with the runtime's place for it.
    static OPEN: RefCell<Vec<(*mut Data, TaskState)>> = const { RefCell::new(Vec::new()) };
}

/// The thread begins to wait.
pub(super) fn begin(place: *mut Data, state: TaskState) {
    // A thread that ends has no such list any more.
    let _ = OPEN.try_with(|open| open.borrow_mut().push((place, state)));
}

/// Calls `f` with the innermost, if that is the one at `place`.
pub(super) fn with<R>(place: *mut Data, f: impl FnOnce(&mut TaskState) -> R) -> Option<R> {
    let found = OPEN.try_with(|open| {
        let mut open = open.borrow_mut();
        let innermost = open.last_mut().filter(|innermost| innermost.0 == place);
        innermost.map(|(_, state)| f(state))
    });
    found.ok().flatten()
}

/// The innermost is over, if it is the one at `place`.
pub(super) fn end(place: *mut Data) -> Option<TaskState> {
    let ended = OPEN.try_with(|open| {
        let mut open = open.borrow_mut();
        let is_innermost = open.last().is_some_and(|innermost| innermost.0 == place);
        let innermost = if is_innermost { open.pop() } else { None };
        innermost.map(|(_, state)| state)
    });
    ended.ok().flatten()
}
