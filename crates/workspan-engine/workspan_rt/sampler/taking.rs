//! Takes a sample.

use crate::stop;
use crate::thread::Thread;
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
        } else if let Some(node) = thread.node_of_strand() {
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
