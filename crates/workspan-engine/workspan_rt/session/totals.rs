//! What has been measured so far, for the program itself.

use crate::clock::{self, Clock};
use crate::state::under_way::{active, settle_rate_once};
use crate::{thread, tree};

/// Lengths in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The work of the whole program so far.
    pub work: i64,
    /// The longest path to the calling strand.
    pub span: i64,
    /// The same with the burden on every stealable edge.
    pub burdened_span: i64,
}

/// What has been measured up to the calling strand; `None` with the engine off, and where nothing
/// of the program runs.
pub fn totals() -> Option<Totals> {
    if !active() {
        return None;
    }
    settle_rate_once();
    thread::with(|this| {
        if !this.is_running() {
            return None;
        }
        this.end_ordinary_strand();
        let mut work = 0;
        let nodes = tree::lock().nodes.len();
        thread::for_each(|thread, _| {
            thread
                .table
                .for_each(nodes, |_, cell| work += cell.local.get());
        });
        // SAFETY: this thread runs a strand, so it has a present frame, which is alive, and which
        // only this thread writes.
        let frame = unsafe { &*this.present() };
        let per_nano = match clock::chosen() {
            Clock::Virtual => 1.0,
            _ => clock::ticks_per_nano(),
        };
        let nanos = |ticks: i64| (ticks as f64 / per_nano) as i64;
        let totals = Totals {
            work: nanos(work),
            span: nanos(frame.depth),
            burdened_span: nanos(frame.burdened()),
        };
        this.continue_strand();
        this.begin_strand_here();
        Some(totals)
    })
    .flatten()
}
