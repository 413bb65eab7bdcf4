//! Calls in which a strand waits for something that is not a task of its own.

use crate::frame::Frame;
use crate::thread::{with, Saved, Thread};
use std::ptr;

/// The account of a call that may run on another thread while the caller waits (`install`). It is serial: the
/// caller's frame moves along, and the wait is nobody's work.
pub struct Handoff {
    frame: *mut Frame,
    thread: *const Thread,
}

// SAFETY: the frame is used by the one thread that runs the call while the caller waits; the runtime's latch
// orders the call before the caller goes on.
unsafe impl Sync for Handoff {}

impl Handoff {
    /// Ends the running strand and lets `execute` run the call through [`Handoff::call`], at most once.
    ///
    /// # Panics
    /// When `execute` does; the account is closed all the same.
    pub fn run<R>(execute: impl FnOnce(Option<&Handoff>) -> R) -> R {
        let handoff = with(|thread| {
            thread.begins_here().then(|| {
                thread.end_ordinary_strand();
                Self {
                    frame: thread.frame(),
                    thread,
                }
            })
        });
        match handoff.flatten() {
            Some(handoff) => {
                let _end = Resume;
                execute(Some(&handoff))
            }
            None => execute(None),
        }
    }

    /// Runs the call, on whatever thread it has come to.
    pub fn call<R>(&self, call: impl FnOnce() -> R) -> R {
        let base = 0_usize;
        let saved = with(|thread| {
            thread.start_strand_after_wait();
            // On the caller's own thread the stack goes on from the caller.
            let same = ptr::eq(thread, self.thread);
            let base = if same {
                thread.base()
            } else {
                ptr::from_ref(&base) as usize
            };
            thread.adopt(self.frame, base)
        });
        let _end = CallEnd {
            frame: self.frame,
            saved,
        };
        call()
    }
}

struct CallEnd {
    frame: *mut Frame,
    saved: Option<Saved>,
}

impl Drop for CallEnd {
    fn drop(&mut self) {
        if let Some(saved) = self.saved {
            with(|thread| {
                thread.end_ordinary_strand();
                thread.come_back_to(self.frame);
                thread.restore(saved);
            });
        }
    }
}

/// Starts the caller's next strand.
struct Resume;

impl Drop for Resume {
    fn drop(&mut self) {
        with(|thread| thread.start_strand_after_wait());
    }
}

/// Runs `call`, in which the thread may run other tasks (`yield_now`); what it does there is no part of the
/// running strand.
pub fn pause<R>(call: impl FnOnce() -> R) -> R {
    let paused = with(|thread| thread.begins_here().then(|| thread.end_ordinary_strand()));
    let _end = paused.flatten().map(|_| Resume);
    call()
}
