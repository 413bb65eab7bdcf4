//! Where tasks begin in the recorded dag.

use crate::path::frame::Frame;
use crate::record::Origin;
use std::ptr;

#[derive(Clone, Copy)]
pub(super) struct Start {
    pub(super) origin: Origin,
    /// The name of the point or hub; 0: not recorded.
    pub(super) name: u64,
    /// How many ticks after the point.
    pub(super) later: u32,
}

impl Start {
    pub(super) const NOWHERE: Self = Self {
        origin: Origin::Hub,
        name: 0,
        later: 0,
    };

    pub(super) fn at_point(name: u64) -> Self {
        let origin = Origin::Point;
        Self {
            origin,
            ..Self::at_hub(name, false)
        }
    }

    pub(super) fn at_hub(name: u64, is_stealable: bool) -> Self {
        Self {
            origin: if is_stealable {
                Origin::Stealable
            } else {
                Origin::Hub
            },
            name,
            later: 0,
        }
    }
}

/// A point of a task's path at which others were spawned.
#[derive(Clone, Copy)]
pub(super) struct SpawnPoint {
    /// 0: there is none.
    pub(super) name: u64,
    node: u32,
    frame: *const (),
    depth: i64,
    burdened: i64,
}

impl SpawnPoint {
    pub(super) const NONE: Self = Self {
        name: 0,
        node: 0,
        frame: ptr::null(),
        depth: 0,
        burdened: 0,
    };

    /// The current end of the path of `frame`, which spawns a task of `node`.
    pub(super) fn of(frame: &Frame, node: u32, name: u64) -> Self {
        Self {
            name,
            node,
            frame: frame.identity(),
            depth: frame.depth,
            burdened: frame.burdened(),
        }
    }

    /// Where a task of `node` begins that `frame` spawns now, if less than `grain` ticks of strands
    /// and nothing else lie between the point and the spawn.
    pub(super) fn start(&self, frame: &Frame, node: u32, grain: i64) -> Option<Start> {
        let later = frame.depth - self.depth;
        let is_near = self.name != 0
            && ptr::eq(self.frame, frame.identity())
            && self.node == node
            && frame.burdened() - self.burdened == later
            && (0..grain.clamp(1, u32::MAX.into())).contains(&later);
        is_near.then_some(Start {
            origin: Origin::Point,
            name: self.name,
            later: later as u32,
        })
    }
}
