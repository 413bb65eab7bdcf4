//! A task whose beginning and end a runtime tells of.

mod end;
mod entry;
mod inner;
mod parts;
mod spawn;
mod wait;

pub(crate) use inner::Inner;

use super::instance::Instance;
use super::point::Point;
use super::recorded::Recorded;
use super::start::Start;
use crate::thread::{with, Thread};
use crate::{clock, serial, session};
use inner::ENTERED;
use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::sync::Arc;

/// A task, or the serial code of a thread. A handle: clones are of the same task.
#[derive(Clone)]
pub struct Task(pub(in crate::events) Arc<Inner>);

impl Task {
    /// The task that the calling thread runs; its serial code if that is none. `None` with the engine off, and on a thread
    /// that runs nothing of the program at the moment.
    pub fn running() -> Option<Self> {
        if let Some(entered) = Self::entered() {
            return Some(entered);
        }
        if with(Thread::begins_here) != Some(true) {
            return None;
        }
        let now = clock::now();
        // The first construct that there is: it is measured with the clock's true rate, and so is what came before.
        session::settle_rate_once();
        crate::signals::watch_once();
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
        // SAFETY: the present frame of this thread.
        let node = unsafe { (*frame).node };
        let inner = Inner::new(
            Point::default(),
            node,
            thread,
            None,
            Recorded::new(Start::NOWHERE, None),
        );
        inner.frame.set(serial::branch_of(frame));
        inner.state.store(ENTERED, Ordering::Relaxed);
        let task = Self(Arc::new(inner));
        thread.task.set(Arc::into_raw(task.0.clone()));
        thread.serial_code.set(Arc::into_raw(task.0.clone()));
        task
    }

    /// The task that the calling thread has entered, if any.
    pub fn entered() -> Option<Self> {
        with(|thread| {
            let running = thread.task.get();
            // SAFETY: the thread holds the task.
            (!running.is_null()).then(|| unsafe { Self::borrow_raw(running.cast()) })
        })
        .flatten()
    }

    /// Is `other` a handle of the same task?
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Keeps a number with the task, which is 0 at first.
    pub fn set_tag(&self, tag: usize) {
        // Relaxed: what it says is up to who keeps it.
        self.0.tag.store(tag, Ordering::Relaxed);
    }

    /// The number kept with the task.
    pub fn tag(&self) -> usize {
        self.0.tag.load(Ordering::Relaxed)
    }

    /// The handle as a pointer, to be kept where a runtime keeps its own data.
    pub fn into_raw(self) -> *const c_void {
        Arc::into_raw(self.0).cast()
    }

    /// The handle that [`Task::into_raw`] gave.
    ///
    /// # Safety
    /// `raw` is from there, and taken back once.
    pub unsafe fn from_raw(raw: *const c_void) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { Arc::from_raw(raw.cast()) })
    }

    /// Another handle of the task.
    ///
    /// # Safety
    /// `raw` is from [`Task::into_raw`], and not taken back yet.
    pub unsafe fn borrow_raw(raw: *const c_void) -> Self {
        // SAFETY: the caller's promise.
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
