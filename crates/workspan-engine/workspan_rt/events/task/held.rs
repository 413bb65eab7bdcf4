//! Tasks that a thread holds.

use super::inner::Inner;
use crate::thread::{self, Thread};
use std::ptr;
use std::sync::atomic::Ordering;
use std::sync::Arc;

impl Thread {
    /// Leaves what the thread's tasks have not waited for to the end of the program. The world is
    /// stopped, and the caller, its writer, stands in for the thread: anything still to be recorded
    /// goes into that thread's record.
    pub(crate) fn leave_tasks_to_end(&self) {
        thread::stand_in_for(self, || {
            let was_busy = self.busy.swap(true, Ordering::Relaxed);
            for held in [&self.task, &self.serial_code] {
                let task = held.get().cast::<Inner>();
                if !task.is_null() {
                    // SAFETY: `thread.task` and `thread.serial_code` hold a count, so the task is
                    // alive, and the world is stopped.
                    unsafe { (*task).leave_outwards() };
                }
            }
            self.busy.store(was_busy, Ordering::Relaxed);
        });
    }

    /// Ends what ran here according to a runtime's events, because its frame is about to go.
    pub(crate) fn end_task(&self) {
        for held in [&self.task, &self.serial_code] {
            let task = held.replace(ptr::null()).cast::<Inner>();
            if !task.is_null() {
                // SAFETY: the count was this thread's, which is the calling one, or in no
                // bookkeeping (`Thread::clear`); null has just taken its place, so it is taken
                // once.
                unsafe { forget(task) };
            }
        }
    }
}

/// Drops the count that a thread held of what it ran. If that is the thread's serial code, nobody
/// may enter it again.
///
/// # Safety
/// `task` is a count that a thread held and has let go of. No other thread touches the task's cells
/// meanwhile, if it is the serial code of that one: the caller is that thread, or the engine is off
/// or the world stopped.
unsafe fn forget(task: *const Inner) {
    // SAFETY: the count was the thread's, which has let go of it, and nobody else touches the cells
    // of a thread's serial code meanwhile (`# Safety`).
    unsafe { Arc::from_raw(task).forget() };
}
