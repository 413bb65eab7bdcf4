//! Where constructs begin in the record.

use crate::path::frame::Frame;
use crate::record::Figures;

/// [`Beginning`] of a construct that is not recorded.
pub(crate) const NOWHERE: Beginning = Beginning {
    position: 0,
    depth: 0,
    burdened: 0,
    work: 0,
    spawns: 0,
};

/// Where a construct begins: in the record, and on the path that continues after it.
#[derive(Clone, Copy)]
pub(crate) struct Beginning {
    pub(crate) position: u64,
    depth: i64,
    burdened: i64,
    work: i64,
    pub(crate) spawns: i64,
}

impl Beginning {
    /// At the current end of the path of `frame`.
    #[inline]
    pub(crate) fn at(position: u64, frame: &Frame) -> Self {
        Self {
            position,
            depth: frame.depth,
            burdened: frame.burdened(),
            work: frame.executed.work,
            spawns: frame.executed.spawns,
        }
    }

    /// What the path of `frame` has gained since then, and the work and tasks done along it.
    #[inline]
    pub(crate) fn since(&self, frame: &Frame) -> Figures {
        Figures {
            work: frame.executed.work - self.work,
            span: frame.depth - self.depth,
            burdened: frame.burdened() - self.burdened,
            tasks: (frame.executed.spawns - self.spawns) as u32,
        }
    }
}
