//! Implicit tasks that are at a barrier.
//!
//! What the tool keeps with such a task, libomp copies for the last barrier of its region to a place of the thread, and asserts
//! that this is empty where a task that the thread executes meanwhile has a `taskwait` with dependences. So nothing is kept with a
//! task at a barrier, but here: its thread goes on with it before it goes on with one that came to a barrier earlier.

use std::cell::RefCell;
use std::ffi::c_void;

use super::abi::Data;

thread_local! {
    /// What is kept with the thread's implicit tasks at barriers, the last to come to one last.
    static WAITING: RefCell<Vec<*mut c_void>> = const { RefCell::new(Vec::new()) };
}

/// Takes what is kept at `place` for a task that has come to a barrier.
pub(super) fn begin(place: &mut Data) {
    let kept = std::mem::replace(&mut place.pointer, std::ptr::null_mut());
    if !kept.is_null() {
        // A thread that ends has no such list any more, nor anything that follows.
        let _ = WAITING.try_with(|waiting| waiting.borrow_mut().push(kept));
    }
}

/// What is kept with the task that came last to a barrier; null if none is at one.
pub(super) fn last() -> *mut c_void {
    let last = WAITING.try_with(|waiting| waiting.borrow().last().copied());
    last.ok().flatten().unwrap_or(std::ptr::null_mut())
}

/// Puts that back to `place`.
pub(super) fn end(place: &mut Data) {
    if place.pointer.is_null() {
        let last = WAITING.try_with(|waiting| waiting.borrow_mut().pop());
        place.pointer = last.ok().flatten().unwrap_or(std::ptr::null_mut());
    }
}
