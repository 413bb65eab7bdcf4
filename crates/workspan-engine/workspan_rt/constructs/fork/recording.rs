//! What the record of the task dag has of a fork.

use super::{Boundary, Fork};
use crate::path::frame::Frame;
use crate::record::{Figures, Item};
use crate::thread::Thread;
use std::ptr;

impl Fork {
    /// The record's item for the end of the left branch, which ran where the fork began.
    pub(super) fn middle(&self, thread: &Thread) -> Item {
        if self.in_stretch {
            Item::LateMiddle {
                mark: thread.recorder.mark_of(ptr::from_ref(self) as usize),
                node: self.node,
            }
        } else {
            Item::Middle
        }
    }

    /// Records the beginning of a branch that runs as a lane of its own.
    pub(super) fn record_lane(&self, thread: &Thread, boundary: Boundary) {
        let (lane, node) = (thread.recorder.new_name(), self.node);
        match boundary {
            Boundary::Begin => {
                self.left_lane.set(lane);
                thread.record(Item::Left { lane, node });
            }
            Boundary::LeftEnd => {
                self.right_lane.set(lane);
                thread.record(Item::Right { lane, node });
            }
        }
    }

    /// Records the end of the fork, after which the path of `parent` goes on. `apart`: whether the
    /// right branch of a folded fork has run [apart](super::Apart).
    #[inline(never)]
    pub(super) fn record_end(&self, thread: &Thread, parent: &Frame, apart: bool) {
        if self.in_stretch {
            if self.stage.get().is_in_stretch() {
                if !apart {
                    // The record has it only within a folded entry.
                    return;
                }
                thread.record(self.middle(thread));
            }
            if apart {
                let right = self.right_lane.get();
                thread.record_end_elsewhere(Item::Join { left: 0, right });
            } else {
                thread.record_late_end(parent, self.node, self.left_since_begin());
            }
            return;
        }
        let lanes = (self.left_lane.get(), self.right_lane.get());
        thread.record_join(&self.recorded, parent, self.node, lanes);
    }

    /// How long the left branch of a folded fork was; it has ended.
    fn left_since_begin(&self) -> Figures {
        // SAFETY: the caller has seen that the fork began in a stretch, so it is folded; both
        // branches have ended, so nobody writes the two positions.
        let (at, left) = unsafe { ((*self.folded()).at, (*self.folded()).left) };
        Figures {
            span: left.depth - at.depth,
            burdened: left.burdened() - at.burdened(),
            ..Figures::default()
        }
    }
}
