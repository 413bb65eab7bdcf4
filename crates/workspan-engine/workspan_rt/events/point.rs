//! A point of a path, where a task begins or continues.

use crate::path::frame::Frame;
use crate::path::log::{Log, Others};
use crate::path::segment::Chain;

/// A point of a path.
#[derive(Clone, Default)]
pub(super) struct Point {
    pub(super) depth: i64,
    pub(super) burdened: i64,
    pub(super) open: i64,
    pub(super) chain: Chain,
}

impl Point {
    /// The current end of the path of `frame`, whose parents are blocked and whose strands the
    /// calling thread runs.
    pub(super) fn of(frame: &mut Frame) -> Self {
        Self {
            // SAFETY: callers pass a frame whose strands this thread runs, so that its parents are
            // blocked, or one without parents.
            chain: unsafe { frame.freeze() },
            depth: frame.depth,
            burdened: frame.burdened(),
            open: frame.open.get(),
        }
    }

    /// The end of the path of a task that has ended, for tasks that follow it.
    pub(super) fn at_end_of(path: &mut Frame) -> Self {
        let ended = Log::new(path.ended(), Others::default());
        let mut end = Self::of(path);
        end.chain.head = Some(std::mem::take(&mut end.chain).extended(path.node, ended));
        end
    }

    /// Moves the point after `other` as well: the path becomes the longer of the two, and every
    /// other length the greater one.
    pub(super) fn after(&mut self, other: &Self) {
        if other.depth > self.depth {
            self.depth = other.depth;
            self.chain = other.chain.clone();
        }
        self.burdened = self.burdened.max(other.burdened);
        self.open = self.open.max(other.open);
    }

    /// A frame at `node` that continues from here.
    pub(super) fn frame(&self, node: u32) -> Frame {
        Frame::at(
            self.depth,
            self.burdened,
            self.open,
            node,
            self.chain.clone(),
        )
    }

    /// The same point, with the burdened path longer by `burden` ticks.
    pub(super) fn burdened_by(&self, burden: i64) -> Self {
        Self {
            burdened: self.burdened + burden,
            ..self.clone()
        }
    }
}
