//! A thread that has ended a left branch in a stretch and is waiting for the right one.

use super::{Boundary, Fork};
use crate::path::frame::{Frame, Position};
use crate::thread::{BOUNDARY, UNREAD};
use std::sync::atomic::Ordering;

impl Fork {
    /// If the calling thread, in a stretch and at `at`, is waiting for a right branch that runs
    /// [apart](super::Apart): what it has left at the fork.
    ///
    /// # Safety
    /// `at` is where the calling thread is ([`Thread::at`]), and it is in a stretch.
    pub(crate) unsafe fn waiting_at<'a>(at: usize) -> Option<Waiting<'a>> {
        if at & BOUNDARY != Boundary::LeftEnd as usize {
            return None;
        }
        // SAFETY: in a stretch, `at` (`# Safety`) is that of a fork which has not ended, and at the
        // end of its left branch such a fork is folded, since a stretch opens at a fork's
        // beginning. While the thread waits nobody else touches the left branch's position and
        // frame.
        unsafe {
            let folded = (*((at & !(BOUNDARY | UNREAD)) as *const Fork)).folded();
            let apart = (*folded).apart.load(Ordering::Acquire);
            (!apart.is_null()).then(|| Waiting {
                since: (*apart).since,
                left: &mut (*folded).left,
                left_frame: &mut (*folded).left_frame,
            })
        }
    }
}

/// What a thread has left at the fork whose right branch it is waiting for.
pub(crate) struct Waiting<'a> {
    /// Since when it has been waiting, at the latest.
    pub(crate) since: i64,
    /// Where the left branch ended.
    pub(crate) left: &'a mut Position,
    left_frame: &'a mut *mut Frame,
}

impl Waiting<'_> {
    /// Replaces the path of the left branch, so far only numbers of the fork's parent, by that of
    /// `aside`.
    pub(crate) fn put_aside(&mut self, aside: Frame) {
        *self.left_frame = Box::into_raw(Box::new(aside));
    }
}
