//! Accounts of which nothing remains, for what the engine runs to measure itself.

use super::{with, ASIDE};
use crate::path::frame::Frame;
use crate::path::segment::Chain;
use crate::state::settings::Settings;
use crate::tree;

/// Runs `measure` in an account of its own, of which nothing remains. Its constructs are no sites
/// of the program. Its task begins at stack address `base`, and its path stands at `node`.
pub(crate) fn aside<R>(base: usize, node: u32, measure: impl FnOnce() -> R) -> R {
    let nodes = [tree::ROOT, ASIDE[0], ASIDE[1]];
    let mut frame = Frame::at(0, 0, 0, node, Chain::default());
    let saved = with(|thread| {
        let saved = thread.adopt(&mut frame, base);
        thread.is_aside.set(true);
        thread.start_strand_after_wait();
        // Every boundary reads the clock, except where a stretch is opened on purpose.
        thread.settings.set(Settings {
            grain: 0,
            ..thread.settings.get()
        });
        thread.begin_unrecorded();
        let cells = nodes.map(|node| thread.cell(node));
        (saved, cells.map(|cell| (cell.values(), cell.kinds.clone())))
    });
    let result = measure();
    if let Some((saved, counted)) = saved {
        with(|thread| {
            thread.end_strand(0);
            thread.restore(saved);
            thread.is_aside.set(false);
            thread.end_unrecorded();
            thread.stretch.clear();
            for (node, (values, kinds)) in nodes.into_iter().zip(counted) {
                let cell = thread.cell(node);
                cell.set_values(values);
                cell.kinds.set(&kinds);
            }
        });
    }
    result
}
