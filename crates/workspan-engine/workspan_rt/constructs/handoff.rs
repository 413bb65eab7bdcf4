//! Calls in which a strand waits for something other than a task of its own.

use crate::path::beginning::{Beginning, NOWHERE};
use crate::path::frame::Frame;
use crate::record::Item;
use crate::state::pools;
use crate::thread::{with, Saved, Thread};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// The account of a call that may run on another thread while the caller waits (`install`). It is
/// serial: the caller's frame moves along, and the wait is nobody's work.
pub struct Handoff {
    frame: *mut Frame,
    thread: *const Thread,
    /// Whether the caller is a thread of a pool.
    is_pools: bool,
    /// The call's name in the record, and where it begins there.
    recorded: u64,
    begin: Beginning,
    /// Whether the call has run on another thread. Relaxed: the runtime's latch orders it before
    /// the caller goes on.
    elsewhere: AtomicBool,
    /// What the caller's thread waited with before.
    calling: *mut Frame,
}

// SAFETY: the frame is used by the one thread that runs the call while the caller waits; the
// runtime's latch orders the call before the caller goes on.
unsafe impl Sync for Handoff {}

impl Handoff {
    /// Ends the running strand and has `execute` run the call through [`Handoff::call`], at most
    /// once.
    ///
    /// # Panics
    /// When `execute` does; the account is closed all the same.
    pub fn run<R>(execute: impl FnOnce(Option<&Handoff>) -> R) -> R {
        let handoff = with(|thread| {
            thread.begins_here().then(|| {
                thread.end_ordinary_strand();
                let frame = thread.frame();
                let (mut recorded, mut begin) = (0, NOWHERE);
                if thread.records() {
                    recorded = thread.recorder.new_name();
                    let item = Item::Handoff { call: recorded };
                    // SAFETY: the present frame of this thread is alive, and only this thread
                    // writes it.
                    begin = thread.record_begin(unsafe { &*frame }, item);
                }
                Self {
                    frame,
                    thread,
                    is_pools: thread.is_worker.get(),
                    recorded,
                    begin,
                    elsewhere: AtomicBool::new(false),
                    calling: thread.calling.replace(frame),
                }
            })
        });
        match handoff.flatten() {
            Some(handoff) => {
                let _end = Return(&handoff);
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
            // On the caller's own thread the stack continues that of the caller.
            let same = ptr::eq(thread, self.thread);
            if !same {
                pools::note_installed(self.is_pools);
            }
            let base = if same {
                thread.base()
            } else {
                ptr::from_ref(&base) as usize
            };
            if thread.records() {
                self.elsewhere.store(!same, Ordering::Relaxed);
                thread.record(Item::Call {
                    call: self.recorded,
                    // SAFETY: the caller waits in `run` until the call has ended, so its frame is
                    // alive, and this thread's.
                    node: unsafe { (*self.frame).node },
                });
            }
            thread.adopt(self.frame, base)
        });
        let _end = CallEnd {
            handoff: self,
            saved,
        };
        call()
    }

    fn end(&self) {
        with(|thread| {
            // In another session, what the thread waits with is nothing of this call's.
            if ptr::eq(thread.calling.get(), self.frame) {
                thread.calling.set(self.calling);
            }
            thread.start_strand_after_wait();
            if !thread.records() {
                return;
            }
            if self.elsewhere.load(Ordering::Relaxed) {
                thread.record_end_elsewhere(Item::HandoffEnd);
            } else {
                // SAFETY: the call has ended, and the runtime's latch ordered what it wrote before
                // this, so the frame is the caller's again.
                let frame = unsafe { &*self.frame };
                thread.record_end(&self.begin, frame, None, Item::HandoffEnd);
            }
        });
    }
}

/// Resumes the caller after a call that was handed off.
struct Return<'a>(&'a Handoff);

impl Drop for Return<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

struct CallEnd<'a> {
    handoff: &'a Handoff,
    saved: Option<Saved>,
}

impl Drop for CallEnd<'_> {
    fn drop(&mut self) {
        if let Some(saved) = self.saved {
            with(|thread| {
                thread.end_ordinary_strand();
                let Handoff {
                    frame,
                    thread: caller,
                    begin,
                    ..
                } = self.handoff;
                thread.come_back_to(*frame);
                if thread.records() {
                    let same = ptr::eq(thread, *caller);
                    thread.record_lane_end(if same { begin.position } else { 0 });
                }
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

/// Runs `call`, in which the thread may run other tasks (`yield_now`). What it does there is no
/// part of the running strand.
pub fn pause<R>(call: impl FnOnce() -> R) -> R {
    pause_after(Thread::end_ordinary_strand, call)
}

/// As [`pause`], with the running strand ended by `end_strand`.
pub(crate) fn pause_after<R>(
    end_strand: impl FnOnce(&Thread) -> i64,
    call: impl FnOnce() -> R,
) -> R {
    let paused = with(|thread| thread.begins_here().then(|| end_strand(thread)));
    let _end = paused.flatten().map(|_| Resume);
    call()
}
