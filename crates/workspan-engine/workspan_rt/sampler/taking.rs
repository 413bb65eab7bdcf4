//! Takes a sample.

use crate::stop;
use crate::thread::Thread;
use std::ptr;
use std::sync::atomic::{fence, AtomicU64, Ordering};

/// Keeps a sample of the strand that `thread`, the caller's own, runs, if it runs one. `copy`
/// writes the stack and returns its length. Bounded, allocates nothing, takes no lock.
pub(super) fn take(thread: &Thread, weight: u64, copy: impl FnOnce(&[AtomicU64]) -> usize) {
    let samples = &thread.samples;
    samples.taking.store(true, Ordering::Relaxed);
    // Either this sees that the writer is at work, or the writer sees the flag.
    fence(Ordering::SeqCst);
    if stop::mode() == stop::ON && !stop::is_paused() {
        if thread.busy.load(Ordering::Relaxed) {
            samples.in_engine.add(1);
        } else if let Some(node) = node_of_strand(thread) {
            if samples.pending.add(node, weight, copy) {
                samples.taken.add(1);
            }
        } else {
            samples.idle.add(1);
        }
    }
    // Release: the writer that sees this sees the sample.
    samples.taking.store(false, Ordering::Release);
}

/// The node of the running strand of a thread that is not busy; `None` if none runs.
fn node_of_strand(thread: &Thread) -> Option<u32> {
    if !thread.is_running() {
        return None;
    }
    if thread.stretch.is_open() {
        return Some(thread.stretch.node());
    }
    let frame = thread.present();
    // SAFETY: the present frame of a thread that runs a strand and is not in its bookkeeping is
    // alive; the field never changes.
    (!frame.is_null()).then(|| unsafe { ptr::addr_of!((*frame).node).read() })
}
