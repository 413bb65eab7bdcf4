//! What a runtime's threads report by calls. Calls from threads that have not reported their start
//! do nothing.

use super::records::{Record, LOCAL};
use super::{become_worker, drop_pool, enlist, note_pool, Worker};
use crate::clock;
use std::ffi::c_void;

/// From here on the calling thread belongs to the runtime. It waits for work, or, as a thread of
/// the program's own, `works` already.
pub fn begin_thread(works: bool) {
    note_pool(1);
    match works {
        true => become_worker(),
        false => LOCAL.with(|local| {
            if local.record.get().is_none() {
                enlist(local);
            }
        }),
    }
}

/// The calling thread no longer belongs to the runtime.
pub fn end_thread() {
    drop_pool(1);
}

/// The calling thread looks for work, or for something to end.
pub fn look() {
    if let Some(record) = own_record() {
        record.search.begin(clock::now);
    }
}

/// The calling thread waits for tasks that it has created.
pub fn look_for_children() {
    if let Some(record) = own_record() {
        record.search.begin_for_children(clock::now);
    }
}

/// The calling thread continues: if it was looking for something, it has found it.
pub fn find() {
    LOCAL.with(|local| {
        let Some(record) = local.record.get() else {
            return;
        };
        if local.idles.take() {
            // It has waited since the thread's start.
            record.account().work(clock::now(), 0);
        } else if let Some(since) = record.search.idle_since() {
            let mut account = record.account();
            account.wait(since);
            account.work(clock::now(), 0);
        }
        record.search.end();
    });
}

/// The calling thread begins a task that `creator` created, and that may have had to wait for other
/// tasks (`is_dependent`). Returns whether `creator` is another worker: if so,
/// [`Worker::give_back`] has to follow when the task has ended.
pub fn begin_task(creator: Worker, is_dependent: bool) -> bool {
    let Some(record) = own_record() else {
        return false;
    };
    let is_own = std::ptr::eq(record, creator.0);
    match is_own && !is_dependent {
        true => record.search.end(),
        false => find(),
    }
    if !is_own {
        creator.take();
    }
    !is_own
}

impl Worker {
    /// A task of this worker continues elsewhere.
    pub fn take(self) {
        self.0.search.take(clock::now());
    }

    /// A task that was taken has ended.
    pub fn give_back(self) {
        self.0.search.give_back();
    }

    /// The worker as a pointer whose lowest six bits are zero.
    pub fn into_raw(self) -> *const c_void {
        std::ptr::from_ref(self.0).cast()
    }

    /// The worker that [`Worker::into_raw`] turned into `pointer`.
    ///
    /// # Safety
    /// `pointer` is what [`Worker::into_raw`] gave.
    pub unsafe fn from_raw(pointer: *const c_void) -> Self {
        // SAFETY: `pointer` was made of a record by `into_raw` (`# Safety`), and records are
        // leaked.
        Self(unsafe { &*pointer.cast::<Record>() })
    }
}

fn own_record() -> Option<&'static Record> {
    LOCAL.with(|local| local.record.get())
}
