//! Takes a sample.

use super::cache_lines::LINES;
use super::timeline::TIMELINE;
use crate::state::stop;
use crate::thread::samples::line_use::LineUse;
use crate::thread::samples::pending::Weight;
use crate::thread::{self, Thread};
use std::ptr;
use std::sync::atomic::{fence, AtomicU64, AtomicUsize, Ordering};

/// Stands for the node of samples outside of strands.
const NO_NODE: u32 = 0;

/// No more strands than this run at once.
static PROCESSORS: AtomicUsize = AtomicUsize::new(1);

/// Asks how many processors there are: never in a signal handler.
pub(super) fn ask_for_processors() {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    PROCESSORS.store(processors, Ordering::Relaxed);
}

/// Keeps a sample of what `thread`, the caller's own, runs: a strand, or something outside of all.
/// `operand` tells the word of memory, if an atomic instruction was interrupted; `copy` writes the
/// stack, of a strand only up to where its task began, and returns its length. Bounded, allocates
/// nothing, takes no lock.
pub(super) fn take(
    thread: &Thread,
    periods: u64,
    operand: impl FnOnce() -> Option<usize>,
    copy: impl FnOnce(bool, &[AtomicU64]) -> usize,
) {
    let samples = &thread.samples;
    samples.taking.store(true, Ordering::Relaxed);
    // Either this sees that the writer is at work, or the writer sees the flag.
    fence(Ordering::SeqCst);
    if stop::mode() == stop::ON && !stop::is_paused() {
        // What the calibration runs is not part of the program.
        let is_aside = thread.is_aside.get();
        if thread.busy.load(Ordering::Relaxed) {
            samples.in_engine.add(1);
        } else if let Some(node) = thread.node_of_strand() {
            let processors = PROCESSORS.load(Ordering::Relaxed);
            let weight = Weight::of(periods, thread::count_working(processors));
            let line = operand().map_or(LineUse::Unknown, |address| {
                LINES.sample(ptr::from_ref(thread) as usize, address)
            });
            if samples.pending.add(node, line, weight, |to| copy(true, to)) {
                samples.taken.add(1);
            }
            if !is_aside {
                TIMELINE.add(periods, false);
            }
        } else {
            samples.idle.add(1);
            if !is_aside {
                TIMELINE.add(periods, true);
                let weight = Weight::of(periods, 1);
                let line = LineUse::Unknown;
                samples
                    .outside
                    .add(NO_NODE, line, weight, |to| copy(false, to));
            }
        }
    }
    // Release: the writer that sees this sees the sample.
    samples.taking.store(false, Ordering::Release);
}
