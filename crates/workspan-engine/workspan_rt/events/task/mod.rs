//! A task whose beginning and end a runtime reports.

mod end;
mod entry;
mod held;
mod inner;
mod parts;
mod phase;
mod spawn;
mod wait;

pub(super) use inner::Inner;
pub use inner::Task;

use super::instance::Instance;
use super::point::Point;
use super::recorded::Recorded;
use super::start::Start;
use crate::clock;
use crate::path::open_frames;
use crate::state::under_way;
use crate::thread::{with, Thread};
use inner::ENTERED;
use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::sync::Arc;

impl Task {
    /// The task that the calling thread runs, or the thread's serial code if it runs none. `None`
    /// with the engine off, and on a thread that runs nothing of the program at the moment.
    pub fn running() -> Option<Self> {
        if let Some(entered) = Self::entered() {
            return Some(entered);
        }
        if with(Thread::begins_here) != Some(true) {
            return None;
        }
        let now = clock::now();
        // This may be the first construct: it is measured with the clock's true rate, and so is
        // what came before it.
        under_way::settle_rate_once();
        crate::state::watch::begin();
        with(|thread| {
            thread.refresh();
            thread.end_strand_if_any(clock::now() - now);
            thread.frame();
            thread.start_strand_after_wait();
            Self::serial_code(thread)
        })
    }

    /// The serial code of `thread`, which runs it.
    fn serial_code(thread: &Thread) -> Self {
        let frame = thread.present();
        // SAFETY: callers have seen that the thread has a present frame, which is alive; `node`
        // never changes.
        let node = unsafe { (*frame).node };
        let inner = Inner::new(
            Point::default(),
            node,
            thread,
            None,
            Recorded::new(Start::NOWHERE, None),
        );
        inner.frame.set(open_frames::branch_of(frame));
        inner.state.store(ENTERED, Ordering::Relaxed);
        let task = Self(Arc::new(inner));
        thread.task.set(Arc::into_raw(task.0.clone()).cast());
        thread.serial_code.set(Arc::into_raw(task.0.clone()).cast());
        task
    }

    /// The task that the calling thread has entered, if any.
    pub fn entered() -> Option<Self> {
        with(|thread| {
            let running = thread.task.get();
            // SAFETY: `thread.task` holds a count of the task, and only this thread gives it back,
            // in other bookkeeping.
            (!running.is_null()).then(|| unsafe { Self::borrow_raw(running.cast()) })
        })
        .flatten()
    }

    /// Is `other` a handle of the same task?
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Stores a number with the task; it is 0 at first.
    pub fn set_tag(&self, tag: usize) {
        // Relaxed: what it means is up to whoever stores it.
        self.0.tag.store(tag, Ordering::Relaxed);
    }

    /// The number stored with the task.
    pub fn tag(&self) -> usize {
        self.0.tag.load(Ordering::Relaxed)
    }

    /// The handle as a pointer, to be stored in a runtime's own data.
    pub fn into_raw(self) -> *const c_void {
        Arc::into_raw(self.0).cast()
    }

    /// The handle that [`Task::into_raw`] turned into a pointer.
    ///
    /// # Safety
    /// `raw` is from [`Task::into_raw`], and is taken back once.
    pub unsafe fn from_raw(raw: *const c_void) -> Self {
        // SAFETY: `raw` is a count that `into_raw` gave, and is taken back once (`# Safety`).
        Self(unsafe { Arc::from_raw(raw.cast()) })
    }

    /// Another handle to the task.
    ///
    /// # Safety
    /// `raw` is from [`Task::into_raw`], and is not taken back before this returns.
    pub unsafe fn borrow_raw(raw: *const c_void) -> Self {
        // SAFETY: `raw` is a count that `into_raw` gave and that is not taken back yet
        // (`# Safety`), so the task is alive; `from_raw` takes the count that is added here.
        unsafe {
            Arc::increment_strong_count(raw.cast::<Inner>());
            Self::from_raw(raw)
        }
    }

    /// Is the task a part of `instance`?
    pub(in crate::events) fn is_part_of(&self, instance: &Arc<Instance>) -> bool {
        self.0.part_of == Arc::as_ptr(instance)
    }
}
